/**
 * Lock workers in processes of their own, the resource they write to, and what every networked backend must pass with them.
 *
 * <p>Pauses, kills and lost answers only mean something between processes. A {@link dev.interlock.testkit.workers.Worker} is a
 * JVM that takes locks as it is told and writes down everything it asks and hears in a file that survives {@code kill -9};
 * the {@link dev.interlock.testkit.workers.FencedResource} is the process they write to, whose own log is the truth about what
 * took effect. {@link dev.interlock.testkit.workers.ProcessTck} makes faults and lets the history checker decide.
 *
 * <pre>
 *   test JVM                      worker JVM                              resource JVM
 *   Workers, Worker  --lines--&gt;   WorkerMain: Interlock, Workload  --TCP--&gt;  ResourceMain: value, fence
 *        |                            |        \                                |
 *     own log                     event log     +--&gt; the store under test    event log
 *        +----------------------------+-----------------------------------------+---&gt; History, HistoryChecker
 * </pre>
 */
@NullMarked
package dev.interlock.testkit.workers;

import org.jspecify.annotations.NullMarked;
