package dev.interlock.spi;

import java.time.Duration;

/**
 * A grant and how long it is to last from now.
 *
 * @param grant which one
 * @param lease at least this long from now; never shortens what is left
 * @param lockDelay how much longer the store keeps the record closed to others
 */
public record Renewal(Grant grant, Duration lease, Duration lockDelay) {}
