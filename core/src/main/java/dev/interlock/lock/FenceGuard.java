package dev.interlock.lock;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The resource's side of fencing: remembers the highest token of each key and refuses lower ones.
 *
 * <p>The rule, in this order: <em>raise, read, write with check</em>. A new holder raises the fence before it reads, so a
 * late write of its predecessor can no longer land between its read and its write.
 *
 * <p>Invariants: the stored token of a key never falls; an equal token passes only for the same owner; a token is judged
 * only against tokens of its own key. Only exclusive leases raise; a shared lease passes while nothing newer than its
 * token was raised; permits are for audit only and are refused.
 *
 * <p>This one keeps the tokens in memory, one per key for as long as the guard lives, for resources that live in this process.
 * Thread-safe and atomic per key.
 */
public final class FenceGuard {
    /** The highest token of one key; guarded by its own lock, so that writes to different keys do not meet. */
    private static final class Fence {
        final ReentrantLock lock = new ReentrantLock();

        @Nullable
        FencingToken token;

        @Nullable
        OwnerId owner;
    }

    private final ConcurrentHashMap<LockKey, Fence> fences = new ConcurrentHashMap<>();

    /**
     * Raises the fence to this lease's token; call it before reading what the lock protects.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws IllegalArgumentException if the lease is not exclusive
     */
    public void raise(Lease lease) {
        if (lease.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("A " + lease.mode() + " lease on \"" + lease.key()
                    + "\" cannot raise a fence: only an exclusive one can, use check for a shared one");
        }
        run(lease, () -> {});
    }

    /**
     * Passes if this lease may still touch the resource; call it with each write, in the same atomic step.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws IllegalArgumentException if the lease holds permits
     */
    public void check(Lease lease) {
        run(lease, () -> {});
    }

    /**
     * Does the write if this lease may still touch the resource; no other lease's raise or write comes in between.
     *
     * @throws StaleTokenException if a newer token has been seen; then nothing was written
     * @throws IllegalArgumentException if the lease holds permits
     */
    public void run(Lease lease, Runnable write) {
        if (lease.mode() == LockMode.PERMITS) {
            throw new IllegalArgumentException("A lease of permits on \"" + lease.key()
                    + "\" cannot be checked: several hold at once, so their tokens have no order to enforce");
        }
        Fence fence = fences.computeIfAbsent(lease.key(), key -> new Fence());
        fence.lock.lock();
        try {
            refuseIfStale(lease, fence);
            if (lease.mode() == LockMode.EXCLUSIVE) {
                fence.token = lease.token();
                fence.owner = lease.owner();
            }
            write.run();
        } finally {
            fence.lock.unlock();
        }
    }

    private static void refuseIfStale(Lease lease, Fence fence) {
        FencingToken seen = fence.token;
        if (seen == null || lease.token().isNewerThan(seen)) {
            return;
        }
        if (!seen.equals(lease.token()) || !lease.owner().equals(fence.owner)) {
            throw new StaleTokenException(lease.key(), lease.token(), seen);
        }
    }
}
