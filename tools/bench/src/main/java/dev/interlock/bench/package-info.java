/**
 * What every benchmark suite is made of: contenders that take turns at workloads, and the report about them.
 *
 * <pre>
 *   suite ── workload: free_1t      round 1          round 2          …
 *         │                         A  B  C          A  B  C            ratio A÷B is taken within a round,
 *         ├─ workload: hot_1p32t    A  B  C          A  B  C            the report shows its median
 *         …
 * </pre>
 *
 * The speed of a computer changes within seconds, so figures of one run that were taken minutes apart cannot be compared,
 * and figures that were taken one after the other can. A new suite brings contenders ({@link dev.interlock.bench.Locking})
 * and lists them for the workloads that are here.
 */
@NullMarked
package dev.interlock.bench;

import org.jspecify.annotations.NullMarked;
