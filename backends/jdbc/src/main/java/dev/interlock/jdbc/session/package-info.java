/**
 * Locks that belong to a database session: PostgreSQL's advisory locks, and {@code GET_LOCK} of MySQL and MariaDB.
 *
 * <pre>
 *   AdvisoryLockBackend ──┐                    ┌─ SessionLane ── Session ── Holders    one connection, one thread at a time
 *                         ├─ SessionLockStore ─┤
 *   NamedLockBackend ─────┘                    └─ SessionLocks ─┬─ AdvisoryLock        the words of each database
 *                                                               └─ NamedLock
 * </pre>
 *
 * <p>One session per backend carries all its locks, and they end with it. Since a database lets a session take its own lock again, who
 * holds what within the session is kept in {@code Holders} and asked first, so that two grants never come from one lock. A session is
 * never repaired: when it ends, all its grants are lost, their holders are told, and the next call begins a new one that knows nothing of
 * them.
 *
 * <p>What may cross, and how it ends:
 * <ul>
 *   <li><b>The reply to a take is lost.</b> The session counts as ended, so whatever the take did ends with it at the server; the attempt
 *       is answered as unknown, and the same attempt again is a new one on a new session.
 *   <li><b>The lock is taken, but drawing its number fails.</b> The lock is given back before the error is told; if that fails too, the
 *       session is ended.
 *   <li><b>Attempts that share a transaction fail.</b> Its numbers count for nothing, so all locks taken in it are given back, and each attempt is
 *       made by itself; if its commit is lost, the session is ended.
 *   <li><b>A withdrawal crosses a take.</b> It waits for the connection, and then finds the grant.
 *   <li><b>The reply to a release is lost.</b> The session counts as ended; the release is answered as unknown, and repeated finds nothing.
 *   <li><b>The session ends between two keys of an attempt.</b> The attempt fails, and nothing is taken by the new session for it.
 *   <li><b>The news of a grant crosses the end of its session.</b> The end is told once more, after the grant.
 *   <li><b>A release or renewal from before comes to the new session.</b> It names a grant that the new session does not have.
 * </ul>
 */
@NullMarked
package dev.interlock.jdbc.session;

import org.jspecify.annotations.NullMarked;
