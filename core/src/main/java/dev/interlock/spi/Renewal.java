package dev.interlock.spi;

import java.time.Duration;

/**
 * A request to extend one grant.
 *
 * @param grant the grant to extend
 * @param lease how long the grant must last from now. A renewal never shortens a lease.
 * @param lockDelay how much longer the store keeps the lock closed after the lease expires
 * @since 0.1.0
 */
public record Renewal(Grant grant, Duration lease, Duration lockDelay) {}
