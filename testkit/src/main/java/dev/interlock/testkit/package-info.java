/**
 * The conformance tests for backends, and a simulated environment for testing code that uses locks.
 *
 * <p>A backend extends {@link dev.interlock.testkit.BackendTck} and implements one method. The tests of an application
 * use an {@link dev.interlock.testkit.InterlockWorld}: in-memory locks, time that the test controls, and scripts for
 * loss, pauses, take-over and outages. {@link dev.interlock.testkit.FakeClock} provides only the time.
 *
 * <p>In a world, each process reads the clock through its {@code ProcessTime}, which can be stopped, and reaches the
 * store through its {@code ScriptedConnection}, which can be cut. {@code WorldTime} moves the clock while the test
 * waits for a lock.
 *
 * <p>The test cases are in the classes named {@code …Cases}, one per subject. Some call a store directly, as one or
 * more {@code StoreProcess}es; the others go through an {@code Interlock}.
 */
@NullMarked
package dev.interlock.testkit;

import org.jspecify.annotations.NullMarked;
