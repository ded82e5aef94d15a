/**
 * Processes that a test starts and that end with it, whatever happens to the test.
 *
 * <p>Everything here is for the packages beside it: a server or a worker is a {@link ChildProcess}, and every child is known
 * to the {@link Keeper}, a small process that outlives the test just long enough to kill what is left of it.
 */
@NullMarked
package dev.interlock.testkit.process;

import org.jspecify.annotations.NullMarked;
