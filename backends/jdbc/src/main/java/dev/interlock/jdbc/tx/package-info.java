/**
 * What works inside the caller's own transaction, on the caller's {@link java.sql.Connection}: fences that refuse stale writes, ordered row
 * locks, leases that end after the transaction does, and repetition for low contention.
 *
 * <pre>
 *   JdbcFence ────────── a table of tokens beside the data      raise, read, write with check
 *   FencedRows ───────── a column of tokens in the data itself
 *   RowLocks ─────────── the rows themselves, always in one order
 *   AdvisoryLocks ────── PostgreSQL's own locks by name, until the transaction ends
 *   LockedTransactions ─ acquire, begin, work, commit, release: in this order
 *   TransactionLeases ── the same order for transactions that somebody else begins and ends
 *   OptimisticRetry ──── no lock: a version column, and again if it moved
 * </pre>
 *
 * Definitions (a fence, a table's rows) are immutable and may be kept as constants; the connection is always the first argument and stays
 * the caller's. Nothing here commits or rolls back a connection that the caller gave.
 */
@NullMarked
package dev.interlock.jdbc.tx;

import org.jspecify.annotations.NullMarked;
