/**
 * Locks and fences inside a database transaction of the application.
 *
 * <p>A fencing token protects data only if the resource checks it. The types in this package do that in the database,
 * on the caller's {@link java.sql.Connection}, with leases of any backend: a lease from Redis fences rows in
 * PostgreSQL.
 *
 * <pre>
 *   JdbcFence ────────── a table of tokens beside the data: raise, read, write with check
 *   FencedRows ───────── a token column in the application's own table
 *   RowLocks ─────────── locks on existing rows, always taken in the same order
 *   AdvisoryLocks ────── PostgreSQL advisory locks that last until the transaction ends
 *   LockedTransactions ─ acquire, begin, work, commit, release, in this order
 *   TransactionLeases ── the same order where a framework begins and ends the transaction
 *   OptimisticRetry ──── no lock: a version column, and a retry after a conflict
 * </pre>
 *
 * <p>Fences and row definitions are immutable and can be constants. A method that works in the caller's transaction
 * takes the connection as its first argument and never commits it, rolls it back or closes it.
 */
@NullMarked
package dev.interlock.transactions;

import org.jspecify.annotations.NullMarked;
