/**
 * Lock workers in processes of their own, the resource they write to, and the process cases that every networked
 * backend must pass.
 *
 * <p>Pauses, kills and lost answers matter only between processes. A {@link dev.interlock.testkit.workers.Worker} is a
 * JVM that acquires locks on command. It records each request and each result in a file that survives {@code kill -9}.
 * The {@link dev.interlock.testkit.workers.FencedResource} is the process that workers write to; its log is the
 * authoritative record of what took effect. {@link dev.interlock.testkit.workers.ProcessTck} injects faults and lets
 * the history checker decide.
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
