/**
 * What every backend must pass, and a small world for tests of code that locks.
 *
 * <p>A backend extends {@link dev.interlock.testkit.BackendTck} and writes one method. An application's tests use an
 * {@link dev.interlock.testkit.InterlockWorld}: locks in memory, time that the test moves, and scripts for loss, pause,
 * take-over and outage. {@link dev.interlock.testkit.FakeClock} is that time alone.
 *
 * <p>In a world each process sees the clock through its {@code ProcessTime}, which can stand still, and the store through its
 * {@code Line}, which can be cut. {@code WorldTime} moves the clock while the test waits for a lock.
 *
 * <p>The cases stand in the classes named {@code …Cases}, by subject: first those that talk to a store directly, as one or
 * more {@code StoreProcess}es, then those that go through an {@code Interlock}.
 */
@NullMarked
package dev.interlock.testkit;

import org.jspecify.annotations.NullMarked;
