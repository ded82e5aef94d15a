/**
 * The tour that {@code ./interlock demo} gives: acts in which two services meet at the same locks.
 *
 * <p>Nothing is only told. Whatever a line claims is computed from what has just happened, and an expectation that does not
 * hold makes the tour fail; where a lock prevents damage, the same is done without it first, to show that there is damage.
 */
@NullMarked
package dev.interlock.cli.demo;

import org.jspecify.annotations.NullMarked;
