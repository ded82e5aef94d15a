/**
 * The suites {@code postgres} and {@code mariadb}: Interlock in a database, compared with a minimal lock in a table,
 * with the database's own session locks and with other lock libraries. Each is used as its documentation recommends.
 *
 * <p>The minimal lock and ShedLock cannot wait. In contended workloads they poll every millisecond, so their results
 * show that policy and not a feature of theirs. Session locks have neither tokens nor leases; a waiter or holder
 * occupies a connection.
 */
@NullMarked
package dev.interlock.bench.jdbc;

import org.jspecify.annotations.NullMarked;
