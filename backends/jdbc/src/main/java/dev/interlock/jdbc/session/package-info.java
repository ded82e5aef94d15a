/**
 * Locks that belong to a database session: PostgreSQL's advisory locks, and {@code GET_LOCK} of MySQL and MariaDB.
 *
 * <pre>
 *   SessionLockBackend ── SessionLockStore ─┬─ SharedSession ── Session ── SessionHolders   one connection, one thread
 *    ├─ AdvisoryLockBackend                 └─ SessionLocks ─┬─ AdvisoryLock                its statements
 *    └─ NamedLockBackend                                     └─ NamedLock
 * </pre>
 *
 * <p>One session per backend has all its locks, and they end with it. A database lets a session take its own lock
 * again, so {@code SessionHolders} records the holders within the session and is asked first. A session is never
 * repaired: when it ends, all its grants are lost, their holders are notified, and the next call begins a new session
 * without them.
 *
 * <p>Races, and how they end:
 * <ul>
 *   <li><b>The reply to a take is lost.</b> The session counts as ended, so the server releases whatever the take did.
 *       The attempt is answered as unknown; the same attempt on the new session is a new one.
 *   <li><b>The lock is taken, but drawing its number fails.</b> The lock is released before the error is reported; if
 *       that fails too, the session is ended.
 *   <li><b>A transaction of several attempts fails.</b> Its numbers are void, so all locks taken in it are released and
 *       each attempt is made by itself; if its commit is lost, the session is ended.
 *   <li><b>A withdrawal meets a take.</b> It waits for the session and then finds the grant.
 *   <li><b>The reply to a release is lost.</b> The session counts as ended. The release is answered as unknown, and a
 *       repeated one finds nothing.
 *   <li><b>The session ends between two keys of an attempt.</b> The attempt fails, and the new session takes nothing
 *       for it.
 *   <li><b>The session ends while a grant is being delivered.</b> The end is reported once more, after the grant.
 *   <li><b>A release or renewal arrives after its session was replaced.</b> It names a grant that the new session does
 *       not have.
 * </ul>
 */
@NullMarked
package dev.interlock.jdbc.session;

import org.jspecify.annotations.NullMarked;
