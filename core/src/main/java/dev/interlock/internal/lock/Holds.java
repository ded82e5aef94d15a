package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.Answer;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;

/** Renews, loses and ends holds: the steps of a hold's life that involve other parts of the engine. */
final class Holds implements HoldServices {
    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final Gates gates;
    private final Releases releases;
    private final Watchdog watchdog;
    private final Events events;

    Holds(
            EngineRuntime runtime,
            EngineSettings settings,
            StoreAccess access,
            Gates gates,
            Releases releases,
            Watchdog watchdog,
            Events events) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.gates = gates;
        this.releases = releases;
        this.watchdog = watchdog;
        this.events = events;
    }

    @Override
    public EngineRuntime runtime() {
        return runtime;
    }

    @Override
    public OwnerId owner(long attempt) {
        return access.owner(attempt);
    }

    @Override
    public long releaseNanos() {
        return settings.releaseWithin().toNanos();
    }

    @Override
    public void renewLater(Hold hold) {
        watchdog.renewLater(hold);
    }

    @Override
    public CompletableFuture<ReleaseResult> release(LeaseHandle lease, LeaseRef ref, boolean callerWaits) {
        return releases.release(lease, ref, callerWaits);
    }

    /** Notifies the holders first, then the next waiter. */
    @Override
    public void lost(Hold hold) {
        LossReason reason = hold.lossReason();
        for (LeaseRef ref : hold.leases()) {
            notifyHolder(ref, hold, reason);
        }
        boolean wasDelivered = !hold.leases().isEmpty();
        runtime.lane().execute(() -> {
            if (wasDelivered) {
                runtime.log().log(
                        System.Logger.Level.WARNING, "The lease on {0} is lost: {1}", hold.keys(), reason.sentence());
                events.lost(hold, reason);
            }
            clearLost(hold);
            Collector collector = hold.collector();
            if (collector != null) {
                collector.prefixLost();
            }
        });
    }

    private static void notifyHolder(LeaseRef ref, Hold hold, LossReason reason) {
        LeaseHandle lease = ref.get();
        if (lease != null) {
            lease.lost(reason);
        }
        if (ref.scope != null) {
            ref.scope.remove(hold);
        }
    }

    /** Removes a lost hold from its gates, and from the store as far as it still exists there. */
    private void clearLost(Hold hold) {
        for (LockKey key : hold.keys()) {
            Gate gate = gates.find(key);
            if (gate != null) {
                gate.lost(hold);
                gates.turn(gate);
            }
        }
        if (hold.settings().lockDelay().isZero()) {
            // The holder knows of the loss, so no waiter needs to wait until the lease expires: not for the rest of a
            // set, nor for a renewal that reached the store although its answer was lost.
            releases.giveBack(hold.grants());
        }
    }

    /** Ends a valid hold that has no lease: passes it to the next local waiter, or releases it at the store. */
    void giveUp(Hold hold) {
        var unused = releases.giveUp(hold); // no caller waits for the outcome
    }

    /** Ends a hold that may be incomplete. */
    void giveToStore(Hold hold) {
        if (hold.isLive()) {
            var unused = releases.toStore(hold); // no caller waits for the outcome
        } else if (hold.isLost()) {
            // It was lost while grants were still being added, and those are not removed yet.
            clearLost(hold);
        } else {
            // The shutdown has ended it and released the grants it had then. Its gates are no longer needed.
            releases.giveBack(hold.grants());
        }
    }

    /**
     * Ends a hold because the engine is closed, and notifies the holders of all its leases. The hold may have been
     * passed on after the caller looked at it, so the caller's own lease may not be the only one.
     */
    CompletableFuture<ReleaseResult> endForClosing(Hold hold) {
        // Before it ends: a lease that is being delivered right now reads the reason.
        hold.setLossReason(LossReason.CLOSED);
        if (!hold.release()) {
            return CompletableFuture.completedFuture(ReleaseResult.ALREADY_ENDED);
        }
        // Read only now: a lease that is added later sees by itself that the hold has ended.
        List<LeaseRef> leases = hold.leases();
        CompletableFuture<ReleaseResult> released = releases.ofEnded(hold);
        leases.forEach(ref -> notifyHolder(ref, hold, LossReason.CLOSED));
        events.lost(hold, LossReason.CLOSED);
        return released;
    }

    @Override
    public Duration renewNow(LeaseHandle lease, Duration atLeast) {
        Hold hold = lease.hold();
        Answer<Watchdog.Outcome> answer = new Answer<>();
        watchdog.renewNow(hold, hold.withinMaximum(atLeast, runtime.now()), answer::set);
        Watchdog.Outcome outcome;
        try {
            outcome = answer.await(settings.answerWithin().plusSeconds(1));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LockInterruptedException("Interrupted while renewing " + hold.keys() + "; the lease goes on");
        }
        if (outcome == null || outcome.failure() != null) {
            throw new StoreUnavailableException(
                    "No answer to the renewal of " + hold.keys() + "; the lease goes on until its old deadline",
                    outcome == null ? null : outcome.failure());
        }
        if (outcome.gone() != null) {
            hold.gone(outcome.gone(), runtime.now());
            throw lease.lostException();
        }
        hold.extended(outcome.grants(), outcome.validUntilNanos(), runtime.now());
        if (!lease.isHeld()) {
            throw lease.lostException();
        }
        events.renewed(hold);
        return lease.remaining();
    }
}
