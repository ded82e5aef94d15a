package dev.interlock.testkit.workers;

/**
 * What a resource answered.
 *
 * @param accepted false if the token was stale; reads are always accepted
 * @param value the value of the key now
 * @param fence the highest token that the key has seen, 0 for none
 */
public record ResourceAnswer(boolean accepted, long value, long fence) {}
