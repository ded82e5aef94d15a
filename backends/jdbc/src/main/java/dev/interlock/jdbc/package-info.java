/**
 * Locks in a table of a relational database: a lock is a row, the usual step is one statement, waiters queue in the row.
 *
 * <pre>
 *   JdbcBackend ── JdbcLockStore ──┬─ Database ────── one borrowed connection per step, in a transaction of its own
 *                                  ├─ LeaseTable ──── the statements, files per dialect
 *                                  ├─ LockRow ─────── the rules, without any database
 *                                  └─ PostgresPushes  one connection that listens
 * </pre>
 */
@NullMarked
package dev.interlock.jdbc;

import org.jspecify.annotations.NullMarked;
