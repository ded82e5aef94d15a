package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.internal.runtime.Lending;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreException;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;

/**
 * Releases holds and grants: to the next local waiter, or to the store.
 *
 * <p>A release that the store did not confirm is repeated until the lease has expired anyway. Releases and
 * withdrawals name owner and grant, so repeating them cannot affect another holder.
 */
final class Releases {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** How long the release of grants without a lease is repeated. */
    private static final long GIVE_BACK_NANOS = TimeUnit.SECONDS.toNanos(30);

    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final Gates gates;
    private final Events events;

    Releases(EngineRuntime runtime, EngineSettings settings, StoreAccess access, Gates gates, Events events) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.gates = gates;
        this.events = events;
    }

    /**
     * A holder closes its lease.
     *
     * @param callerWaits whether the calling thread waits for the outcome
     */
    CompletableFuture<ReleaseResult> release(LeaseHandle lease, LeaseRef ref, boolean callerWaits) {
        Hold hold = lease.hold();
        hold.remove(ref);
        if (!hold.leaveAndWasLast()) {
            // The remaining leases may belong to another scope that has just joined the hold and will notice that it
            // was passed on.
            if (ref.scope != null && hold.leases().stream().noneMatch(other -> other.scope == ref.scope)) {
                ref.scope.remove(hold);
            }
            return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
        }
        if (ref.scope != null) {
            ref.scope.remove(hold);
        }
        long heldNanos = hold.heldNanos(runtime.now());
        CompletableFuture<ReleaseResult> result = giveUp(hold, callerWaits);
        if (events.hasListeners()) {
            return result.whenComplete((outcome, never) -> events.released(hold, outcome, heldNanos));
        }
        return result;
    }

    /** Passes a hold to the next local waiter if the rules allow it, otherwise releases it at the store. */
    CompletableFuture<ReleaseResult> giveUp(Hold hold) {
        return giveUp(hold, false);
    }

    private CompletableFuture<ReleaseResult> giveUp(Hold hold, boolean callerWaits) {
        if (hold.size() == 1) {
            Gate gate = gates.find(hold.grant(0).key());
            if (gate != null) {
                Gate.Handover handover = gate.handOver(hold, runtime.now());
                if (handover instanceof Gate.Handover.To to) {
                    runtime.inTurn(to.next()::deliver);
                    return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
                }
                if (handover instanceof Gate.Handover.Open open) {
                    open.wake().wake();
                    return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
                }
            }
        }
        return toStore(hold, callerWaits);
    }

    CompletableFuture<ReleaseResult> toStore(Hold hold) {
        return toStore(hold, false);
    }

    private CompletableFuture<ReleaseResult> toStore(Hold hold, boolean callerWaits) {
        return hold.release()
                ? ofEnded(hold, callerWaits)
                : CompletableFuture.completedFuture(ReleaseResult.ALREADY_ENDED);
    }

    /**
     * Releases at the store a hold that the caller has just ended by {@link Hold#release}. Until this call the hold
     * stays in its gates: no other thread removes it.
     */
    CompletableFuture<ReleaseResult> ofEnded(Hold hold) {
        return ofEnded(hold, false);
    }

    private CompletableFuture<ReleaseResult> ofEnded(Hold hold, boolean callerWaits) {
        List<Gate> freed = new ArrayList<>(hold.grants().size());
        for (Grant grant : hold.grants()) {
            Gate gate = gates.require(grant.key());
            gate.releasing(hold);
            freed.add(gate);
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        List<Grant> reversed = reversed(hold.grants());
        // Not validUntil: a renewal whose answer was lost may have reached the store.
        long over = runtime.now() + hold.settings().leaseNanos();
        Runnable resumeWaiters = () -> {
            for (Gate gate : freed) {
                gate.released();
                gates.turn(gate);
            }
        };
        // A request that waits for one key of a set usually waits for other keys too, so the next attempt follows the
        // release at once. If it overtakes the release, the store hands the key over. A store without a queue cannot do
        // that, and must not be asked too early.
        boolean atOnce = reversed.size() > 1 && access.queues();
        send(reversed, over, true, false, callerWaits, result::complete, atOnce ? () -> {} : resumeWaiters);
        if (atOnce) {
            resumeWaiters.run();
        }
        return result;
    }

    private static List<Grant> reversed(List<Grant> grants) {
        if (grants.size() == 1) {
            return grants;
        }
        List<Grant> reversed = new ArrayList<>(grants);
        Collections.reverse(reversed);
        return reversed;
    }

    /** Releases grants that have no lease. */
    void giveBack(List<Grant> grants) {
        send(grants, runtime.now() + GIVE_BACK_NANOS, true, false, false, outcome -> {}, () -> {});
    }

    /**
     * Repeats a release until it is answered or the lease has expired.
     *
     * @param doubtful whether an earlier try may have been carried out: a grant that is not held may have been
     *     released by it
     * @param callerWaits whether the calling thread waits for the outcome, so that the store may block it
     * @param afterFirst runs when the first try has an outcome: the next waiter need not wait for further tries
     */
    private void send(
            List<Grant> grants,
            long overNanos,
            boolean first,
            boolean doubtful,
            boolean callerWaits,
            Consumer<ReleaseResult> then,
            Runnable afterFirst) {
        boolean fits = grants.size() <= LockStore.MAX_BATCH;
        List<Grant> batch = fits ? grants : grants.subList(0, LockStore.MAX_BATCH);
        List<Grant> rest = fits ? List.of() : grants.subList(LockStore.MAX_BATCH, grants.size());
        runtime.calls()
                .<List<ReleaseAnswer>>urgent(
                        () -> access.store().release(batch, callerWaits ? mayBlockNanos() : 0),
                        runtime.answerNanos(),
                        (answers, error) -> {
                            if (answers == null) {
                                if (first) {
                                    afterFirst.run();
                                }
                                if (runtime.now() >= overNanos || runtime.isClosed()) {
                                    then.accept(ReleaseResult.UNKNOWN);
                                } else {
                                    boolean maybeDone =
                                            doubtful || error == null || error.kind() == StoreException.Kind.UNKNOWN;
                                    runtime.later(
                                            runtime.jittered(RETRY_NANOS),
                                            () -> send(grants, overNanos, false, maybeDone, false, then, afterFirst));
                                }
                                return;
                            }
                            ReleaseResult result = !answers.contains(ReleaseAnswer.NOT_HELD)
                                    ? ReleaseResult.RELEASED
                                    : doubtful ? ReleaseResult.UNKNOWN : ReleaseResult.ALREADY_ENDED;
                            if (rest.isEmpty()) {
                                if (first) {
                                    afterFirst.run();
                                }
                                then.accept(result);
                            } else {
                                send(
                                        rest,
                                        overNanos,
                                        first,
                                        false,
                                        false,
                                        later -> then.accept(worse(result, later)),
                                        afterFirst);
                            }
                        },
                        late -> {});
    }

    private long mayBlockNanos() {
        return Lending.mayBlockNanos(Math.min(settings.releaseWithin().toNanos(), runtime.answerNanos()));
    }

    private static ReleaseResult worse(ReleaseResult a, ReleaseResult b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /**
     * Ends a wait at the store.
     *
     * @param overNanos when every grant of the wait has expired by itself
     * @param found receives what the wait was granted
     */
    void withdraw(OwnerId id, List<LockKey> keys, long overNanos, Consumer<List<Granted>> found) {
        runtime.calls()
                .<List<Granted>>urgent(
                        () -> access.store().withdraw(id, keys),
                        runtime.answerNanos(),
                        (granted, error) -> {
                            if (granted != null) {
                                found.accept(granted);
                            } else if (runtime.now() < overNanos && !runtime.isClosed()) {
                                runtime.later(
                                        runtime.jittered(RETRY_NANOS), () -> withdraw(id, keys, overNanos, found));
                            }
                        },
                        late -> {});
    }
}
