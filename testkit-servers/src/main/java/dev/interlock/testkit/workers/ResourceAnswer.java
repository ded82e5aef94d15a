package dev.interlock.testkit.workers;

/**
 * The answer of a resource.
 *
 * @param accepted false if the token was stale; reads are always accepted
 * @param value the current value of the key
 * @param fence the highest token that the key has seen, 0 for none
 * @since 0.1.0
 */
public record ResourceAnswer(boolean accepted, long value, long fence) {}
