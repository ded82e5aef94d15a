package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.ReleaseResult;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;

/** What a {@link Hold} and its leases need from the engine. One object per engine, so that a hold stays small. */
interface HoldServices {
    EngineRuntime runtime();

    /** The owner id of an attempt of this engine. */
    OwnerId owner(long attempt);

    /** Adds the hold to the next batch of renewals. */
    void renewLater(Hold hold);

    /** Reports the loss of a hold to its holders and frees its gates. */
    void lost(Hold hold);

    /** Extends a lease at its holder's request and returns what is left of it. */
    Duration renewNow(LeaseHandle lease, Duration atLeast);

    /**
     * Closes a lease.
     *
     * @param callerWaits whether the calling thread waits for the outcome
     */
    CompletableFuture<ReleaseResult> release(LeaseHandle lease, LeaseRef ref, boolean callerWaits);

    /** How long a release waits for its answer. */
    long releaseNanos();
}
