package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/**
 * The answer to an {@link Attempt}.
 *
 * @since 0.1.0
 */
public sealed interface AttemptAnswer {
    /**
     * Every claim was granted.
     *
     * @param granted the grants, in the order of the claims
     */
    record All(List<Granted> granted) implements AttemptAnswer {}

    /**
     * The attempt waits in the queue of the first busy key. The claims before that key were granted.
     *
     * @param granted the grants made so far, in the order of the claims; may be empty
     * @param obstacle the busy key
     */
    record Queued(List<Granted> granted, Obstacle obstacle) implements AttemptAnswer {}

    /**
     * A key is busy, and the attempt is not queued. The claims before that key were granted.
     *
     * @param granted the grants made so far, in the order of the claims; may be empty
     * @param obstacle the busy key
     */
    record Busy(List<Granted> granted, Obstacle obstacle) implements AttemptAnswer {}

    /**
     * A grant in {@link Attempt#held()} no longer exists, so nothing was granted.
     *
     * @param key the key whose grant is gone
     */
    record HeldGone(LockKey key) implements AttemptAnswer {}

    /**
     * The key that stopped an attempt.
     *
     * @param key the busy key
     * @param holder one of its holders, if the store knows one
     * @param recheckIn the time until the first lease of a current holder can end. An earlier attempt succeeds only
     *     after a release.
     */
    record Obstacle(LockKey key, Optional<LockSnapshot.Holder> holder, Duration recheckIn) {}
}
