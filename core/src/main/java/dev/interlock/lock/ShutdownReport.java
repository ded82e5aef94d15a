package dev.interlock.lock;

import java.util.List;

/**
 * What closing an {@code Interlock} did.
 *
 * @param withdrawn how many waits were ended
 * @param released the keys that were held and are free now
 * @param unreleased the keys whose release was not confirmed within the budget; they end by their leases
 */
public record ShutdownReport(int withdrawn, List<LockKey> released, List<LockKey> unreleased) {
    /** Copies the lists. */
    public ShutdownReport {
        released = List.copyOf(released);
        unreleased = List.copyOf(unreleased);
    }
}
