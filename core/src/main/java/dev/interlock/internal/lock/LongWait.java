package dev.interlock.internal.lock;

import dev.interlock.spi.WaitReport;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A long wait and what has been reported about it. Only {@link LongWaitList} uses it, on the lane. */
final class LongWait {
    final Waiter waiter;
    final String scopeId;
    String id;
    int at = -1;
    long reachedNanos;
    Instant since = Instant.MAX;
    long version;
    long reportedNanos;
    boolean reported;

    /** Whether its scope holds something or readers may wait behind it, so that it can be on a cycle. */
    boolean mayBlockOthers;

    @Nullable
    WaitReport report;

    LongWait(Waiter waiter, String scopeId, String id) {
        this.waiter = waiter;
        this.scopeId = scopeId;
        this.id = id;
    }

    /** Whether it has waited there without moving since the last report. */
    boolean isStill(Waiter.Standing standing) {
        return standing.at() == at && standing.sinceNanos() == reachedNanos;
    }
}
