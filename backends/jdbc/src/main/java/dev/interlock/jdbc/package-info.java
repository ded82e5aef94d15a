/**
 * Locks in tables of a relational database. A lock is a row, the common case is one statement, and waiters queue in a
 * table of their own.
 *
 * <pre>
 *   JdbcBackend ── JdbcLockStore ──┬─ JdbcAttempts, JdbcReleases, JdbcRenewals, JdbcWaiters
 *    (StartUp)                     │    ├─ KnownLocks ────────── which statement to try first
 *                                  │    └─ PostgresShortcuts ─── single statements instead of transactions
 *                                  ├─ RowSteps ───────────────── everything else: lock rows, decide, write back
 *                                  │    └─ LockRow ───────────── the rules, without any database
 *                                  ├─ LeaseTable, QueueTable ─── the statements, one file each per dialect
 *                                  ├─ LockDatabase ───────────── one connection per step; retries conflicts
 *                                  │    ├─ WarmConnections ───── open connections for the threads of callers
 *                                  │    └─ StatementTimeouts ─── cancels statements that take too long
 *                                  └─ PostgresNotifications ──── one connection that listens
 * </pre>
 */
@NullMarked
package dev.interlock.jdbc;

import org.jspecify.annotations.NullMarked;
