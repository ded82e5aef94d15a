/**
 * Locks in tables of a relational database: a lock is a row, the usual step is one statement, waiters queue in a table of their own.
 *
 * <pre>
 *   JdbcBackend ── JdbcLockStore ──┬─ Gathering ──────── questions of several threads in one statement
 *    (StartUp)                     ├─ PostgresShortcuts  one statement for what takes a transaction elsewhere
 *                                  ├─ RowSteps ───────── everything else: rows are locked, looked at, written back
 *                                  │    └─ LockRow ───── the rules, without any database
 *                                  ├─ Renewals
 *                                  ├─ LeaseTable, Crowd  the statements, files per dialect
 *                                  ├─ Database ───────── one borrowed connection per step; conflicts are tried again
 *                                  │    └─ Overdue ───── ends statements that take too long
 *                                  └─ PostgresPushes ─── one connection that listens
 * </pre>
 */
@NullMarked
package dev.interlock.jdbc;

import org.jspecify.annotations.NullMarked;
