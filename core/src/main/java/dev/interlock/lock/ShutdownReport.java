package dev.interlock.lock;

import java.util.List;

/**
 * What the shutdown of an {@code Interlock} did.
 *
 * @param withdrawn the number of waits that were ended
 * @param released the keys whose locks were released
 * @param unreleased the keys whose release was not confirmed in time; these locks are free when their leases end
 * @since 0.1.0
 */
public record ShutdownReport(int withdrawn, List<LockKey> released, List<LockKey> unreleased) {
    /** Copies the lists. */
    public ShutdownReport {
        released = List.copyOf(released);
        unreleased = List.copyOf(unreleased);
    }
}
