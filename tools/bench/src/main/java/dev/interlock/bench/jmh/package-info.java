/** JMH benchmarks of the code inside one process: execution time without the harness of the suites, and allocations. */
@NullMarked
package dev.interlock.bench.jmh;

import org.jspecify.annotations.NullMarked;
