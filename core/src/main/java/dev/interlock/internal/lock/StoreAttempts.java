package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.internal.runtime.Lending;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.AttemptAnswer.Obstacle;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import org.jspecify.annotations.Nullable;

/**
 * Asks the store on behalf of requests that have entered their gates: sends attempts, collects grants, queues at the
 * first busy key and confirms provisional leases.
 *
 * <p>An attempt whose answer is lost is repeated with the same id, so that the store repeats its first answer.
 */
final class StoreAttempts {
    private static final long FIRST_RETRY_NANOS = 20_000_000;
    private static final int MAX_RETRY_DOUBLINGS = 6;

    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final StoreAccess access;
    private final Gates gates;
    private final QueuePlaces places;
    private final HoldServices holds;
    private final Watchdog watchdog;
    private final WaitMessages messages;
    private final GateWalk walk;
    private final Settlement settlement;

    StoreAttempts(
            EngineRuntime runtime,
            EngineSettings settings,
            StoreAccess access,
            Gates gates,
            QueuePlaces places,
            HoldServices holds,
            Watchdog watchdog,
            WaitMessages messages,
            GateWalk walk,
            Settlement settlement) {
        this.runtime = runtime;
        this.settings = settings;
        this.access = access;
        this.gates = gates;
        this.places = places;
        this.holds = holds;
        this.watchdog = watchdog;
        this.messages = messages;
        this.walk = walk;
        this.settlement = settlement;
    }

    // ---- the attempt --------------------------------------------------------------------------------------------

    /** Sends one attempt for these keys, whose gates the request has entered. */
    void attempt(Waiter waiter, int from, int to) {
        Hold prefix = waiter.hold;
        long now = runtime.now();
        waiter.asking = true;
        waiter.sent++;
        List<Claim> claims = waiter.claims;
        Attempt attempt = new Attempt(
                waiter.id,
                from == 0 && to == claims.size() ? claims : claims.subList(from, to),
                prefix == null ? List.of() : prefix.renewals(waiter.settings().leaseFor()),
                waiter.mayWait() && access.queues(),
                0,
                Protocol.HEARTBEAT_WITHIN,
                Duration.ofNanos(Math.max(0, waiter.deadlineNanos - now)),
                settings.name());
        long limit = answerLimit(waiter, now);
        runtime.calls()
                .guarded(
                        () -> send(waiter, attempt, limit),
                        limit,
                        (answer, error) -> answered(waiter, attempt, from, to, now, answer, error),
                        late -> resolveLate(waiter, attempt, late));
    }

    /** The caller's own thread waits for the answer anyway, so the store may block it until then. */
    private CompletionStage<AttemptAnswer> send(Waiter waiter, Attempt attempt, long limitNanos) {
        boolean callerWaits = waiter.thread == Thread.currentThread();
        return access.attempt(attempt, callerWaits ? Lending.mayBlockNanos(limitNanos) : 0);
    }

    private long answerLimit(Waiter waiter, long now) {
        long patient =
                Math.max(waiter.deadlineNanos + waiter.graceNanos, waiter.startedNanos + Protocol.FIRST_ANSWER_NANOS);
        return Math.min(runtime.answerNanos(), Math.max(1, patient - now));
    }

    private void answered(
            Waiter waiter,
            Attempt attempt,
            int from,
            int to,
            long sentNanos,
            @Nullable AttemptAnswer answer,
            @Nullable StoreException error) {
        if (answer == null) {
            notAnswered(waiter, attempt, from, to, error == null ? StoreException.unknown("No answer", null) : error);
            return;
        }
        storeAnswered(waiter);
        if (answer instanceof AttemptAnswer.All all) {
            collect(waiter, attempt, from, all.granted(), sentNanos);
            goOnCollecting(waiter);
        } else if (answer instanceof AttemptAnswer.Queued queued) {
            collect(waiter, attempt, from, queued.granted(), sentNanos);
            waitAtStore(waiter, to, queued.obstacle(), true, sentNanos);
        } else if (answer instanceof AttemptAnswer.Busy busy) {
            collect(waiter, attempt, from, busy.granted(), sentNanos);
            waitAtStore(waiter, to, busy.obstacle(), false, sentNanos);
        } else {
            walk.leaveGates(waiter, from, to);
            walk.restart(waiter);
        }
    }

    /** The store has answered. If the patience ends now, the reason is a holder, not a missing answer. */
    private static void storeAnswered(Waiter waiter) {
        waiter.asking = false;
        waiter.unanswered = null;
        waiter.retries = 0;
    }

    private void notAnswered(Waiter waiter, Attempt attempt, int from, int to, StoreException error) {
        switch (error.kind()) {
            case REFUSED -> {
                walk.leaveGates(waiter, from, to);
                settlement.fail(
                        waiter,
                        Refusal.REFUSED,
                        () -> messages.refused(waiter.claims.get(from).key(), error));
            }
            case NOT_SENT -> {
                walk.leaveGates(waiter, from, to);
                if (waiter.retries > 0) {
                    // An earlier try of the same attempt may have been carried out.
                    places.resolve(attempt);
                }
                settlement.fail(waiter, Refusal.STORE_UNAVAILABLE, () -> messages.unavailable(waiter, error));
            }
            case UNKNOWN -> {
                waiter.unanswered = error;
                if (waiter.isCutShort() || runtime.now() >= waiter.deadlineNanos + waiter.graceNanos) {
                    walk.leaveGates(waiter, from, to);
                    places.resolve(attempt);
                    settlement.fail(waiter, Refusal.STORE_UNAVAILABLE, () -> messages.unavailable(waiter, error));
                } else {
                    // The same attempt id again: the store repeats its first answer.
                    runtime.later(nextRetryPause(waiter), () -> {
                        if (waiter.isCutShort()) {
                            notAnswered(waiter, attempt, from, to, error);
                        } else {
                            attempt(waiter, from, to);
                        }
                    });
                }
            }
        }
    }

    /**
     * An answer arrived after its limit. While the request is alive, the repeated attempt with the same id handles it.
     * Afterwards its grants are orphaned. A place at the store is left alone if another request may have taken it over.
     */
    private void resolveLate(Waiter waiter, Attempt attempt, AttemptAnswer late) {
        Phase now = waiter.phase();
        if (now != Phase.DONE && now != Phase.ENDED && attempt.id().equals(waiter.id)) {
            return;
        }
        List<Granted> granted = late instanceof AttemptAnswer.All all
                ? all.granted()
                : late instanceof AttemptAnswer.Queued queued
                        ? queued.granted()
                        : late instanceof AttemptAnswer.Busy busy ? busy.granted() : List.of();
        places.giveBackOrphans(granted);
        if (!waiter.hadPlace) {
            places.resolve(attempt);
        }
    }

    // ---- collecting ---------------------------------------------------------------------------------------------

    private void collect(Waiter waiter, Attempt attempt, int from, List<Granted> granted, long sentNanos) {
        Hold into = waiter.hold;
        Duration fullLease = waiter.settings().leaseFor();
        if (into != null) {
            // The same call has extended the grants that were held before.
            into.confirmed(access.validUntil(sentNanos, fullLease), runtime.now());
            waiter.isShort = false;
        }
        if (granted.isEmpty()) {
            return;
        }
        if (into == null) {
            into = new Hold(holds, waiter.settings(), waiter, runtime.now());
            waiter.hold = into;
        }
        Grant[] grants = new Grant[granted.size()];
        for (int i = 0; i < grants.length; i++) {
            Granted one = granted.get(i);
            grants[i] = one.grant();
            into.limit(access.validUntil(sentNanos, one.lease()));
            // A repeated attempt gets what is left of its first grant, or a provisional lease from its wait.
            waiter.isShort |= one.lease().compareTo(fullLease) < 0;
        }
        List<Claim> asked = attempt.claims();
        into.add(List.of(grants), grants.length == asked.size() ? asked : asked.subList(0, grants.length));
        waiter.next = from + granted.size();
        for (int i = from; i < waiter.next; i++) {
            gates.won(waiter.claims.get(i), waiter, into);
        }
    }

    private void goOnCollecting(Waiter waiter) {
        Hold collected = waiter.hold;
        boolean complete = waiter.next == waiter.claims.size();
        if (complete && waiter.isShort && collected != null) {
            confirm(waiter, collected);
        } else if (complete) {
            settlement.deliver(waiter);
        } else if (waiter.isCutShort()) {
            settlement.putDown(waiter);
        } else {
            keepCollected(waiter);
            walk.advance(waiter, Waiter.NO_GATE);
        }
    }

    private void keepCollected(Waiter waiter) {
        Hold collected = waiter.hold;
        if (collected != null) {
            collected.keepWhileCollecting(runtime.now());
        }
    }

    // ---- waiting at the store -----------------------------------------------------------------------------------

    /** Waits for the first key that was not granted: queued at the store, or polling. */
    private void waitAtStore(Waiter waiter, int to, Obstacle met, boolean queued, long sentNanos) {
        int next = waiter.next;
        waiter.obstacle = met;
        waiter.reach(next);
        waiter.reachStore();
        walk.leaveGates(waiter, next + 1, to);
        keepCollected(waiter);
        Claim claim = waiter.claims.get(next);
        Gate gate = gates.require(claim.key());
        if (!waiter.mayWait() || runtime.now() >= waiter.deadlineNanos) {
            if (queued) {
                places.withdraw(waiter.id, List.of(claim));
            }
            walk.leaveGates(waiter, next, next + 1);
            settlement.fail(waiter, Refusal.BUSY, () -> messages.timedOut(waiter));
            return;
        }
        QueuePlace place = new QueuePlace(places, gate, waiter.id, claim, queued, waiter, sentNanos, waiter.sent == 1);
        waiter.hadPlace = true;
        Hold prefix = waiter.hold;
        long pause = queued ? QueuePlace.recheckNanos(met.recheckIn()) : nextPollPause(waiter);
        // Added before it is visible in the gate: a push may arrive before this step is over.
        places.add(place);
        switch (gate.placed(waiter, place)) {
            case PARKED -> {
                // From here on another thread may be working on the request.
                place.recheckIn(pause);
                places.deliverEarlyPush(place);
                walk.restartIfPrefixLost(waiter, prefix);
            }
            case TAKEN_OVER -> {
                place.recheckIn(pause);
                places.deliverEarlyPush(place);
                settlement.putDown(waiter);
            }
            case ABANDONED -> {
                places.abandon(place);
                gates.turn(gate);
                settlement.putDown(waiter);
            }
        }
    }

    /**
     * The store granted the key that the request waited for, with a provisional lease. The request is delivered after
     * the first renewal has confirmed the lease. If the lease is certain to last long enough, it is delivered at once
     * and the renewal follows.
     */
    void placeWon(Waiter waiter, Granted granted, QueuePlace place) {
        long now = runtime.now();
        Hold into = waiter.hold;
        if (into == null) {
            into = new Hold(holds, waiter.settings(), waiter, now);
            waiter.hold = into;
        }
        Claim claim = waiter.claims.get(waiter.next);
        long surelyUntil = access.validUntil(place.waitingSince(), shorter(granted.lease(), Protocol.HEARTBEAT_WITHIN));
        boolean isSure =
                place.isOnlyAttempt() && surelyUntil - now >= Protocol.SURE_NANOS && mayBeExtendedLater(waiter, place);
        into.limit(isSure ? surelyUntil : access.validUntil(now, Protocol.HEARTBEAT_WITHIN));
        into.add(List.of(granted.grant()), List.of(claim));
        waiter.next++;
        gates.won(claim, waiter, into);
        places.forget(place);
        if (isSure) {
            settlement.deliver(waiter);
            into.extendSoon(now);
        } else {
            confirm(waiter, into);
        }
    }

    /**
     * Whether the lease may begin with a provisional length: only if it is renewed anyway and will not be passed on.
     */
    private static boolean mayBeExtendedLater(Waiter waiter, QueuePlace place) {
        return waiter.takesPasses()
                && waiter.settings().renews()
                && waiter.settings().leaseFor().compareTo(Protocol.HEARTBEAT_WITHIN) > 0
                && !place.gate.hasWaiters();
    }

    /** Extends all grants in one call, so that the delivered lease has its full length. */
    private void confirm(Waiter waiter, Hold all) {
        if (waiter.isCutShort()) {
            settlement.putDown(waiter);
            return;
        }
        waiter.asking = true;
        watchdog.renewNow(all, waiter.settings().leaseFor(), outcome -> {
            if (outcome.gone() != null) {
                storeAnswered(waiter);
                walk.restart(waiter);
            } else if (outcome.failure() == null) {
                storeAnswered(waiter);
                all.confirmed(outcome.validUntilNanos(), runtime.now());
                waiter.isShort = false;
                goOnCollecting(waiter);
            } else if (waiter.isCutShort() || runtime.now() >= waiter.deadlineNanos) {
                settlement.fail(
                        waiter, Refusal.STORE_UNAVAILABLE, () -> messages.unavailable(waiter, outcome.failure()));
            } else {
                waiter.unanswered = outcome.failure();
                runtime.later(nextRetryPause(waiter), () -> confirm(waiter, all));
            }
        });
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    // ---- pauses -------------------------------------------------------------------------------------------------

    private long nextPollPause(Waiter waiter) {
        long pause = runtime.jittered(waiter.pollNanos);
        waiter.pollNanos = Math.min(Protocol.MAX_POLL_NANOS, waiter.pollNanos * 2);
        return pause;
    }

    long nextRetryPause(Waiter waiter) {
        return runtime.jittered(Math.min(
                Protocol.MAX_POLL_NANOS, FIRST_RETRY_NANOS << Math.min(waiter.retries++, MAX_RETRY_DOUBLINGS)));
    }
}
