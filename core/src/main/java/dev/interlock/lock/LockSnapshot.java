package dev.interlock.lock;

import java.time.Duration;
import java.util.List;

/**
 * The state of one lock at one moment, for operators. It can be outdated when it is read.
 *
 * @param key the key of the lock
 * @param holders the holders, oldest first
 * @param waiters the number of waiters in the store. A process counts once, however many of its threads wait
 * @since 0.1.0
 */
public record LockSnapshot(LockKey key, List<Holder> holders, int waiters) {
    /** Copies the list. */
    public LockSnapshot {
        holders = List.copyOf(holders);
    }

    /**
     * One holder of a lock.
     *
     * @param label the name of the process, or "unknown"
     * @param owner the digest of the owner; see {@link OwnerId#toString()}
     * @param mode the mode in which it holds the lock
     * @param permits the number of permits that it holds; 1 in the other modes
     * @param grant the grant number, which is the upper part of the token
     * @param heldFor how long it has held the lock, by the clock of the store
     * @param endsIn the time until its lease ends, unless it is renewed
     */
    public record Holder(
            String label, String owner, LockMode mode, int permits, long grant, Duration heldFor, Duration endsIn) {}
}
