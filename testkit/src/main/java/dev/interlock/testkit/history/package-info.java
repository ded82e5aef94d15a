/**
 * Decides from the recorded events of a run whether the locks kept their promises.
 *
 * <p>Tests with real processes, pauses and kills cannot assert while they run: what one process sees proves nothing
 * about the others. So each process records its requests, their answers and its actions in a file that survives its
 * death. After the run, one check reads all files and decides.
 *
 * <pre>
 *   worker 1   Recorder --> EventLog --+
 *   worker 2   Recorder --> EventLog --+--> History --> HistoryChecker --> Verdict
 *   resource   ResourceRecorder -> ... +                    ^
 *                                                     Expectations: the fault model and the bounds of this run
 * </pre>
 *
 * <p>The resource is a process with its own log. The order of its slots is the order in which writes took effect.
 */
@NullMarked
package dev.interlock.testkit.history;

import org.jspecify.annotations.NullMarked;
