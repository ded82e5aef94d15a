/**
 * Processes that a test starts and that end with it, even if the test crashes.
 *
 * <p>Only the other packages of this module use it. Every server and worker is a {@link ChildProcess}. The {@link
 * ProcessReaper}, a small process of its own, outlives the test just long enough to kill the children that are left.
 */
@NullMarked
package dev.interlock.testkit.process;

import org.jspecify.annotations.NullMarked;
