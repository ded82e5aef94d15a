/**
 * What every backend must pass, and virtual time for tests of code that locks.
 *
 * <p>A backend extends {@link dev.interlock.testkit.BackendTck} and writes one method. An application's tests use
 * {@link dev.interlock.testkit.FakeClock} with the in-memory backend, so that leases end when the test says so.
 *
 * <p>The cases stand in the classes named {@code …Cases}, by subject: first those that talk to a store directly, as one or
 * more {@code StoreProcess}es, then those that go through an {@code Interlock}.
 */
@NullMarked
package dev.interlock.testkit;

import org.jspecify.annotations.NullMarked;
