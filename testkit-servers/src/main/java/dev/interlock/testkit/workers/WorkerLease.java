package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;

/**
 * A lease that a worker holds, as the test sees it.
 *
 * @param handle what the worker calls it
 * @param key what is locked
 * @param token its fencing token
 */
public record WorkerLease(long handle, LockKey key, long token) {}
