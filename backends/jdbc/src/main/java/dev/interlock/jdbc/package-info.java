/**
 * Locks in tables of a relational database: a lock is a row, the usual step is one statement, waiters queue in a table of their own.
 *
 * <pre>
 *   JdbcBackend ── JdbcLockStore ──┬─ Attempts, Releases ── by single statements, the likely one first
 *    (StartUp)                     │    ├─ Gathering ────── questions of several threads in one of them
 *                                  │    └─ PostgresShortcuts  for what takes a transaction elsewhere
 *                                  ├─ Waits, Renewals
 *                                  ├─ RowSteps ──────────── everything else: rows are locked, looked at, written back
 *                                  │    └─ LockRow ──────── the rules, without any database
 *                                  ├─ LeaseTable, Crowd ─── the statements, files per dialect
 *                                  ├─ Database ──────────── one borrowed connection per step; conflicts are tried again
 *                                  │    ├─ Kept ─────────── some that stay at hand, for the threads of callers
 *                                  │    └─ Overdue ──────── ends statements that take too long
 *                                  └─ PostgresPushes ────── one connection that listens
 * </pre>
 */
@NullMarked
package dev.interlock.jdbc;

import org.jspecify.annotations.NullMarked;
