package dev.interlock.lock;

import java.time.Duration;
import java.util.List;

/**
 * A read-only picture of one lock, for operators; already stale when it is read.
 *
 * @param key what is locked
 * @param holders who holds it, oldest first
 * @param waiters how many wait for it in the store; a process counts once however many of its threads wait
 */
public record LockSnapshot(LockKey key, List<Holder> holders, int waiters) {
    /** Copies the list. */
    public LockSnapshot {
        holders = List.copyOf(holders);
    }

    /**
     * One holder.
     *
     * @param label what the process calls itself, or "unknown"
     * @param owner the owner's digest, see {@link OwnerId#toString()}
     * @param mode how it holds
     * @param permits how many permits it holds, 1 in the other modes
     * @param grant the store's grant number; the token's upper bits
     * @param heldFor since when, by the store's clock
     * @param endsIn when its lease ends unless renewed
     */
    public record Holder(
            String label, String owner, LockMode mode, int permits, long grant, Duration heldFor, Duration endsIn) {}
}
