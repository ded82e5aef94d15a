package dev.interlock.spi;

import java.time.Duration;

/**
 * A grant, and how much of its lease was left when the store wrote the answer.
 *
 * <p>The engine counts the lease from before it sent the request, so the store must not subtract a margin of its own.
 * When the store answers a repeated attempt, it must return the time that is really left, not the full lease again.
 *
 * @param grant the grant
 * @param lease the remaining lease
 * @since 0.1.0
 */
public record Granted(Grant grant, Duration lease) {}
