/**
 * The parts of every benchmark suite: contenders that take turns in workloads, and the reports.
 *
 * <pre>
 *   suite ── workload: free_1t      round 1          round 2          …
 *         │                         A  B  C          A  B  C            ratios compare turns of the same rounds
 *         ├─ workload: hot_1p32t    A  B  C          A  B  C
 *         …
 * </pre>
 *
 * The speed of a computer changes within seconds. Values that were measured minutes apart cannot be compared; values
 * that were measured one after the other can. So the contenders take turns: in each <em>round</em> each of them has one
 * <em>turn</em> of fixed length. A <em>floor</em> is a minimal implementation, a <em>peer</em> another lock library. A
 * new suite implements {@link dev.interlock.bench.Locking} for its contenders and lists them for the workloads of this
 * package.
 */
@NullMarked
package dev.interlock.bench;

import org.jspecify.annotations.NullMarked;
