package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;

/**
 * A lease that a worker holds, as the test sees it.
 *
 * @param handle the worker's id of the lease
 * @param key the locked key
 * @param token the fencing token
 * @since 0.1.0
 */
public record WorkerLease(long handle, LockKey key, long token) {}
