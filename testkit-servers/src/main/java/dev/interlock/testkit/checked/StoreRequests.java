package dev.interlock.testkit.checked;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.faults.Matching;
import java.util.Optional;

/**
 * Matches the requests of one backend on the wire, so that {@link FaultTck} can lose, delay or repeat exactly one of
 * them.
 *
 * <p>A backend whose requests do not show the key may match the requests for every key: each case has a route of its
 * own.
 *
 * @since 0.1.0
 */
public interface StoreRequests {
    /** Attempts to acquire a key that was acquired before. The lock is granted by this single request. */
    Matching acquire(LockKey key);

    /**
     * The request that grants a key for the first time, if it differs from {@link #acquire}. The client must repeat it
     * as an {@link #acquire} request when the reply is lost.
     */
    default Optional<Matching> firstAcquire(LockKey key) {
        return Optional.empty();
    }

    /** The first request of a renewal. */
    Matching renew(LockKey key);

    /**
     * Every request that can extend the lease, including those that a backend sends when {@link #renew} is not
     * answered.
     */
    default Matching anyRenewal(LockKey key) {
        return renew(key);
    }

    /** Releases of the key. */
    Matching release(LockKey key);

    /** Replies that grant a lock; empty if they cannot be distinguished from other replies. */
    default Optional<Matching> grantReply() {
        return Optional.empty();
    }

    /** The request that subscribes to pushes; empty if the client works without a subscription. */
    default Optional<Matching> subscribe() {
        return Optional.empty();
    }
}
