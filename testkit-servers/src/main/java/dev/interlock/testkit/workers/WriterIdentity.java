package dev.interlock.testkit.workers;

/**
 * The identity and token with which a client accesses a resource.
 *
 * @param attempt the acquire that the token comes from, as the worker's history calls it
 * @param owner the owner of the lock, as the worker's history calls it
 * @param token the fencing token
 * @since 0.1.0
 */
public record WriterIdentity(long attempt, long owner, long token) {}
