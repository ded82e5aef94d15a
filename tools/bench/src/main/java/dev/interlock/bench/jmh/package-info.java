/** JMH benchmarks of the paths inside one process: how long they take without a harness around, and what they allocate. */
@NullMarked
package dev.interlock.bench.jmh;

import org.jspecify.annotations.NullMarked;
