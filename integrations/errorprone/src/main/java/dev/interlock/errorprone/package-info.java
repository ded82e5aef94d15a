/**
 * Finds mistakes with locks while the code is compiled: four checks for Error Prone.
 *
 * <pre>
 *   InterlockLockOrder            NestingWalk ──▶ DeclaredOrder ◀── OrderSource    what is held, what is waited for, which comes first
 *   InterlockUnclosedLease        LeaseFate                                        what becomes of a lease
 *   InterlockReleaseInTransaction LeaseFate
 *   InterlockIgnoredTry
 *                                 LockApi, StaticValues                            what a call asks for, as far as the source tells
 * </pre>
 *
 * The order is read where the application declares it for the run time, and compared by the {@link dev.interlock.lock.LockOrder} that
 * compares it there. The checks look at one source file at a time. What a file does not tell is not guessed: a check that cries wolf is
 * switched off, so every doubt is decided for silence.
 */
@NullMarked
package dev.interlock.errorprone;

import org.jspecify.annotations.NullMarked;
