package dev.interlock.internal.lock;

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
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;

/**
 * Gives back what is no longer wanted: to the next local waiter, or to the store.
 *
 * <p>What the store did not confirm is repeated until the lease is over anyway; releases and withdrawals name owner and grant, so
 * repeating them can hurt nobody.
 */
final class Releases {
    private static final long RETRY_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private final Engine engine;

    Releases(Engine engine) {
        this.engine = engine;
    }

    /** A lease is closed by its holder, whose thread waits for the outcome or not. */
    CompletableFuture<ReleaseResult> release(HeldRight lease, LeaseRef ref, boolean waits) {
        Hold hold = lease.hold();
        hold.dismiss(ref);
        if (!hold.partAndWasLast()) {
            // The others may be of another scope, one that has just joined what it held before, and will see that it
            // was passed on.
            if (ref.scope != null && hold.leases().stream().noneMatch(other -> other.scope == ref.scope)) {
                ref.scope.remove(hold);
            }
            return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
        }
        if (ref.scope != null) {
            ref.scope.remove(hold);
        }
        long heldNanos = hold.heldNanos(engine.now());
        CompletableFuture<ReleaseResult> result = giveUp(hold, waits);
        if (engine.events().isHeard()) {
            return result.whenComplete((outcome, never) -> engine.events().released(hold, outcome, heldNanos));
        }
        return result;
    }

    /** Waits for the outcome, at most until then; an interrupt does not cut this short and stays set. */
    ReleaseResult await(CompletableFuture<ReleaseResult> result, long giveUpAt) {
        if (result.isDone()) {
            return result.join();
        }
        boolean interrupted = false;
        try {
            while (true) {
                try {
                    return result.get(giveUpAt - System.nanoTime(), TimeUnit.NANOSECONDS);
                } catch (InterruptedException e) {
                    interrupted = true;
                } catch (TimeoutException | ExecutionException e) {
                    return ReleaseResult.UNKNOWN;
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    /** Passes a hold on to the next local waiter if the rules allow, otherwise releases it at the store. */
    CompletableFuture<ReleaseResult> giveUp(Hold hold) {
        return giveUp(hold, false);
    }

    private CompletableFuture<ReleaseResult> giveUp(Hold hold, boolean waits) {
        if (hold.size() == 1) {
            Gate gate = engine.gates().find(hold.grant(0).key());
            if (gate != null) {
                Gate.Handover handover = gate.handOver(hold, engine.now());
                if (handover instanceof Gate.Handover.To to) {
                    engine.proceed(to.next()::deliver);
                    return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
                }
                if (handover instanceof Gate.Handover.Open open) {
                    open.wake().wake();
                    return CompletableFuture.completedFuture(ReleaseResult.RELEASED);
                }
            }
        }
        return toStore(hold, waits);
    }

    CompletableFuture<ReleaseResult> toStore(Hold hold) {
        return toStore(hold, false);
    }

    private CompletableFuture<ReleaseResult> toStore(Hold hold, boolean waits) {
        return hold.release() ? ofEnded(hold, waits) : CompletableFuture.completedFuture(ReleaseResult.ALREADY_ENDED);
    }

    /** Releases at the store what the caller has just ended by {@link Hold#release}; until then nobody else takes it out of its gates. */
    CompletableFuture<ReleaseResult> ofEnded(Hold hold) {
        return ofEnded(hold, false);
    }

    private CompletableFuture<ReleaseResult> ofEnded(Hold hold, boolean waits) {
        List<Gate> gates = new ArrayList<>(hold.grants().size());
        for (Grant grant : hold.grants()) {
            Gate gate = engine.gates().require(grant.key());
            gate.releasing(hold);
            gates.add(gate);
        }
        CompletableFuture<ReleaseResult> result = new CompletableFuture<>();
        List<Grant> reversed = reversed(hold.grants());
        // Not what we know to be valid: a renewal whose answer was lost may have reached the store.
        long over = engine.now() + hold.terms().leaseNanos();
        Runnable letOthersIn = () -> {
            for (Gate gate : gates) {
                gate.released();
                engine.turn(gate);
            }
        };
        // Whoever waits for a part of a set mostly waits for other keys too, so the next attempt follows the release at
        // once. If it
        // overtakes it, the store hands over; where the store cannot, it must not be asked too early.
        boolean atOnce = reversed.size() > 1 && engine.storeQueues();
        send(reversed, over, true, false, waits, result::complete, atOnce ? () -> {} : letOthersIn);
        if (atOnce) {
            letOthersIn.run();
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

    /** Gives grants back that no lease stands for. */
    void giveBack(List<Grant> grants) {
        send(grants, engine.now() + TimeUnit.SECONDS.toNanos(30), true, false, false, outcome -> {}, () -> {});
    }

    /**
     * Sends a release until it is answered or the lease is over.
     *
     * @param doubtful whether an earlier try may have been carried out: then a grant that is not held may have been released by it
     * @param waits whether this thread waits for the outcome, so that the store may have it
     * @param afterFirst run once the first try has an outcome: the next in line need not wait for further ones
     */
    private void send(
            List<Grant> grants,
            long overNanos,
            boolean first,
            boolean doubtful,
            boolean waits,
            Consumer<ReleaseResult> then,
            Runnable afterFirst) {
        boolean fits = grants.size() <= LockStore.MAX_BATCH;
        List<Grant> batch = fits ? grants : grants.subList(0, LockStore.MAX_BATCH);
        List<Grant> rest = fits ? List.of() : grants.subList(LockStore.MAX_BATCH, grants.size());
        engine.calls()
                .<List<ReleaseAnswer>>urgent(
                        () -> release(batch, waits),
                        engine.answerNanos(),
                        (answers, error) -> {
                            if (answers == null) {
                                if (first) {
                                    afterFirst.run();
                                }
                                if (engine.now() >= overNanos || engine.isClosed()) {
                                    then.accept(ReleaseResult.UNKNOWN);
                                } else {
                                    boolean maybeDone =
                                            doubtful || error == null || error.kind() == StoreException.Kind.UNKNOWN;
                                    engine.later(
                                            engine.jittered(RETRY_NANOS),
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

    private CompletionStage<List<ReleaseAnswer>> release(List<Grant> batch, boolean waits) {
        // For the call alone: what its answer sets going may be for others.
        boolean lent = waits
                && engine.lending()
                        .lend(Math.min(engine.settings().releaseWithin().toNanos(), engine.answerNanos()));
        try {
            return engine.store().release(batch);
        } finally {
            if (lent) {
                engine.lending().end();
            }
        }
    }

    private static ReleaseResult worse(ReleaseResult a, ReleaseResult b) {
        return a.compareTo(b) >= 0 ? a : b;
    }

    /**
     * Ends a wait at the store and gives back what was granted to it meanwhile.
     *
     * @param overNanos when whatever was granted has ended by itself
     */
    void withdraw(OwnerId id, List<LockKey> keys, long overNanos) {
        engine.calls()
                .<List<Granted>>urgent(
                        () -> engine.store().withdraw(id, keys),
                        engine.answerNanos(),
                        (granted, error) -> {
                            if (granted != null) {
                                engine.places().giveBackGhosts(granted);
                            } else if (engine.now() < overNanos && !engine.isClosed()) {
                                engine.later(engine.jittered(RETRY_NANOS), () -> withdraw(id, keys, overNanos));
                            }
                        },
                        late -> {});
    }
}
