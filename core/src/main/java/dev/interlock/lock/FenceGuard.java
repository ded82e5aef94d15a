package dev.interlock.lock;

import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Protects a resource inside this process against stale writes.
 *
 * <p>The guard remembers the highest fencing token that it has seen for each key, the <em>fence</em>, and rejects lower
 * tokens. A holder must <em>raise the fence, then read, then write with a check</em>. A new holder raises the fence
 * before it reads, so a late write of the previous holder cannot land between its read and its write.
 *
 * <p>Rules: the fence of a key never falls. An equal token passes only for the same owner. A token is compared only
 * with tokens of the same key. Only exclusive leases raise the fence. A shared lease passes until a newer token than
 * its own was raised. Leases with permits are rejected, because several holders have permits at the same time and their
 * tokens have no order to enforce.
 *
 * <p>The guard keeps one token per key in memory for as long as it lives. A resource outside this process must store
 * the fence itself.
 *
 * <p>Thread-safe, and atomic per key.
 *
 * @since 0.1.0
 */
public final class FenceGuard {
    /**
     * The highest token of one key. Each fence has its own lock, so writes to different keys do not wait for each
     * other.
     */
    private static final class Fence {
        final ReentrantLock lock = new ReentrantLock();

        @Nullable
        FencingToken token;

        @Nullable
        OwnerId owner;
    }

    private final ConcurrentHashMap<LockKey, Fence> fences = new ConcurrentHashMap<>();

    /**
     * Raises the fence to the token of this lease. Call it before you read what the lock protects.
     *
     * @throws StaleTokenException if the guard has seen a newer token
     * @throws IllegalArgumentException if the lease is not exclusive
     */
    public void raise(Lease lease) {
        if (lease.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("A " + lease.mode() + " lease on \"" + lease.key()
                    + "\" cannot raise a fence: only an exclusive lease can; use check for a shared one");
        }
        run(lease, () -> {});
    }

    /**
     * Checks that this lease may still write. Another holder can raise the fence right after the check, so prefer
     * {@link #run}, which checks and writes in one step.
     *
     * @throws StaleTokenException if the guard has seen a newer token
     * @throws IllegalArgumentException if the lease has permits
     */
    public void check(Lease lease) {
        run(lease, () -> {});
    }

    /**
     * Checks the lease and then writes, in one step: no other lease can raise the fence or write in between.
     *
     * @param lease the lease that protects the resource
     * @param write the write. Keep it short: other writes to the same key wait for it
     * @throws StaleTokenException if the guard has seen a newer token; nothing was written
     * @throws IllegalArgumentException if the lease has permits
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
