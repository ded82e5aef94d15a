package dev.interlock.spi;

import java.time.Duration;

/**
 * A grant and how much of its lease is left, counted from when the store wrote the answer.
 *
 * <p>The engine counts validity from before the request was sent, so the store must not subtract anything itself; but
 * when it answers a repeated attempt it must give what is really left, not the whole lease again.
 */
public record Granted(Grant grant, Duration lease) {}
