/**
 * Runs with clients in the test's own JVM whose history is checked, for faults that must hit one particular message.
 *
 * <p>A {@link dev.interlock.testkit.checked.CheckedClient} records each request before it is sent and each result
 * before it is used. The {@link dev.interlock.testkit.checked.CheckedRun} inspects every key at the end and lets the
 * history checker decide. {@link dev.interlock.testkit.checked.FaultTck} is the kit of fault cases for every networked
 * backend, and {@link dev.interlock.testkit.checked.SoakTck} runs such faults at random under load.
 */
@NullMarked
package dev.interlock.testkit.checked;

import org.jspecify.annotations.NullMarked;
