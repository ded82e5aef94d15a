package dev.interlock.internal.lock;

import dev.interlock.spi.WaitNote;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** A wait that has lasted, and what has been said about it; only {@link LongWaits} touches it, on its lane. */
final class LongWait {
    final Waiter waiter;
    final String scopeId;
    String id;
    int at = -1;
    long cameNanos;
    Instant since = Instant.MAX;
    long version;
    long mentionedNanos;
    boolean mentioned;
    boolean holds;

    @Nullable
    WaitNote note;

    LongWait(Waiter waiter, String scopeId, String id) {
        this.waiter = waiter;
        this.scopeId = scopeId;
        this.id = id;
    }

    /** Whether it has waited there, without moving, since this was last said about it. */
    boolean isStill(Waiter.Standing standing) {
        return standing.at() == at && standing.sinceNanos() == cameNanos;
    }
}
