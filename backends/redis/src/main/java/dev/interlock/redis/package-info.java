/**
 * Locks in Redis: the lock is a plain string key, every step is one script, waiters queue inside the server.
 *
 * <pre>
 *   RedisBackend ── RedisLockStore ── Servers ──┬─ OneServer ────── Link ── Wire      one connection for all calls
 *                        │                      └─ ClusterServers ─ Link ── Wire      one per primary
 *                        └─ Pushes                                                    one subscription
 * </pre>
 *
 * <p>A {@code Wire} is one connection to one server whose identity has been checked; it never reconnects. A {@code Link} makes a
 * new wire when the old one ends, and nothing is ever sent again over the new one by itself: a call whose answer is lost is
 * reported as lost, and the engine resolves it. Before its first call a wire raises the grant counter to the server's clock, so
 * a server that has forgotten its past cannot give out a number twice.
 */
@NullMarked
package dev.interlock.redis;

import org.jspecify.annotations.NullMarked;
