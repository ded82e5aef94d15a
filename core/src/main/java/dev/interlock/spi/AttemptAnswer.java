package dev.interlock.spi;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import java.time.Duration;
import java.util.List;
import java.util.Optional;

/** How far an attempt came. */
public sealed interface AttemptAnswer {
    /** Every claim was granted; the grants stand in the order of the claims. */
    record All(List<Granted> granted) implements AttemptAnswer {}

    /** A prefix was granted, maybe an empty one, and the attempt now waits in the queue of the next key. */
    record Queued(List<Granted> granted, Obstacle obstacle) implements AttemptAnswer {}

    /** A prefix was granted, maybe an empty one, and the next key is busy. */
    record Busy(List<Granted> granted, Obstacle obstacle) implements AttemptAnswer {}

    /** A grant that had to be held is gone; nothing was granted. */
    record HeldGone(LockKey key) implements AttemptAnswer {}

    /**
     * What stopped an attempt.
     *
     * @param key the busy key
     * @param holder who has it, if the store knows
     * @param recheckIn when the current holder's lease ends at the earliest, so that asking again may help
     */
    record Obstacle(LockKey key, Optional<LockSnapshot.Holder> holder, Duration recheckIn) {}
}
