/**
 * The suites {@code postgres} and {@code mariadb}: Interlock in a database, against the least that a lock in a table costs, the
 * database's own session locks, and the locks that others offer, each used as its documentation recommends.
 *
 * <p>The floors in a table and ShedLock cannot wait. In contended workloads they are asked again every millisecond, so their
 * figures there show that policy and not a feature of theirs. Session locks have neither token nor lease; who waits for one or
 * holds one keeps a connection for as long.
 */
@NullMarked
package dev.interlock.bench.jdbc;

import org.jspecify.annotations.NullMarked;
