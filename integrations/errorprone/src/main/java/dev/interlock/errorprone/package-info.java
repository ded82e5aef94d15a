/**
 * Four Error Prone checks that find mistakes with locks at compile time.
 *
 * <pre>
 *   InterlockLockOrder            NestingWalk ──▶ DeclaredOrder ◀── OrderSource    held locks, requests and their order
 *   InterlockUnclosedLease        LeaseUses ──▶ LeaseDisposition                   what happens to a lease
 *   InterlockReleaseInTransaction LeaseUses, TransactionalMethods
 *   InterlockIgnoredTry
 *                                 LockApi, RequestReader, StaticValues             what a call requests
 * </pre>
 *
 * The order is read from the declaration that the application uses at run time, and compared with the same
 * {@link dev.interlock.lock.LockOrder}. The checks analyze one source file at a time. If the source does not allow a
 * certain answer, they report nothing: false reports would make users switch the checks off.
 */
@NullMarked
package dev.interlock.errorprone;

import org.jspecify.annotations.NullMarked;
