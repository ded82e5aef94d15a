/**
 * Locks in Redis: a lock is a plain string key, every operation is one script call, and waiters queue inside the
 * server.
 *
 * <pre>
 *   RedisBackend ── RedisLockStore ──┬─ Batcher ─────── concurrent attempts and releases in one call
 *                                    ├─ RedisCalls ──── keys and arguments of each script, and its reply
 *                                    ├─ RedisPushes ─── one subscription
 *                                    └─ Servers ──┬──── SingleServer ───┐
 *                                                 └──── ClusterServers ─┴─ ReconnectingConnection ── ServerConnection
 * </pre>
 *
 * <p>A {@code ServerConnection} is one connection to one server that has been checked; it never reconnects. A
 * {@code ReconnectingConnection} replaces a connection that ends, but never repeats a call: a call whose reply is lost
 * fails as unknown, and the engine resolves it. Before its first call, a connection raises the grant counter to the
 * server's clock, so a server that has lost its data cannot grant the same number twice.
 */
@NullMarked
package dev.interlock.redis;

import org.jspecify.annotations.NullMarked;
