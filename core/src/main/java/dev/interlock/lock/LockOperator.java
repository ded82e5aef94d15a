package dev.interlock.lock;

import java.util.Optional;

/**
 * Operations for operators: list locks, inspect one, and release one by force.
 *
 * <p>All calls block until the store answers. They throw {@link StoreUnavailableException} if it does not answer, and
 * {@link LockRefusedException} if the store does not support the operation.
 *
 * <p>Thread-safe. Only Interlock implements it.
 *
 * @since 0.1.0
 */
public interface LockOperator {
    /**
     * Returns one page of the locks whose names start with the prefix.
     *
     * @param prefix the beginning of the names; empty for all
     * @param after where the page begins, from {@link LockPage#next()} of the previous page; empty for the first page
     * @param limit the maximum number of locks, from 1 to 1000
     */
    LockPage list(String prefix, Optional<String> after, int limit);

    /** Returns one lock; empty if it has neither holders nor waiters. */
    Optional<LockSnapshot> inspect(LockKey key);

    /**
     * Releases a lock by force, whichever process holds it.
     *
     * <p>Later grants have greater tokens, so a fenced resource rejects the former holder as soon as it has seen one of
     * them. The former holder itself is notified at its next renewal, with {@link LossReason#FORCED}, or at its
     * deadline at the latest.
     *
     * @return how many holders lost the lock
     */
    int forceRelease(LockKey key);
}
