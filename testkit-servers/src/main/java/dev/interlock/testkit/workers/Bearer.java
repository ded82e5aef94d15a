package dev.interlock.testkit.workers;

/**
 * Who comes to a resource, and with which token.
 *
 * @param attempt the acquire that the token comes from, as the worker's history calls it
 * @param owner who holds the lock, as the worker's history calls it
 * @param token the fencing token
 */
public record Bearer(long attempt, long owner, long token) {}
