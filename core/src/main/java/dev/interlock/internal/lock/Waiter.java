package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.time.Timetable;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.AttemptAnswer.Obstacle;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import java.lang.invoke.VarHandle;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One pending request, from its arrival at the first gate until its lease, its refusal or its end. Long, because the walk is one
 * idea: each step must be read beside the ways in which it can be cut short.
 *
 * <pre>
 *   advance ──▶ enter the gates of all keys ──▶ one attempt for all keys ──▶ all granted ──▶ deliver
 *      ▲             │                                  │
 *      │             └── one is not free: wait there    └── some granted: leave the later gates, wait at the first busy one
 *      │                       │                                               │
 *      └───────────────────────┴── a push, a re-check or a local turn ─────────┘
 * </pre>
 *
 * While it waits for one key it holds only keys before it, and no gate after it: a later gate that is held while an earlier
 * key is waited for would close a cycle with two other requests.
 *
 * <p>Invariants: what it was granted is delivered or given back, exactly one of them; once ended it is never granted, see
 * {@link Phase}. Rings when its patience is over.
 */
final class Waiter extends Timetable.Entry {
    private static final int NO_GATE = -1;

    private final Engine engine;
    private final Order order;
    private final Terms terms;
    private final List<Claim> claims;
    private final long startedNanos;
    private final long deadlineNanos;
    private final long graceNanos;
    private final @Nullable Thread thread;
    private final List<StackTraceElement> acquiredAt;
    private final WaitWords words;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WORKING);

    /** How often running threads have overtaken it; guarded by the gate's mutex. */
    int overtaken;

    // Written by whoever works on the request, read by whoever does next; the phase hands them over.
    private volatile OwnerId id;
    private int next;
    private int at;

    /** Which key it came to last, and when. It may have been worked on since then, and laid down at the same key. */
    private int cameTo = NO_GATE;

    private long cameNanos;

    /** For which key it has asked the store, and was told to wait. */
    private int cameToStore = NO_GATE;

    private int entered;
    private int triesAtGates;
    private int sent;
    private boolean isShort;

    /** How often it was laid down: whoever looks at it from outside sees by this whether it has moved meanwhile. */
    private volatile int parked;

    private @Nullable Hold hold;
    private int retries;
    private long pollNanos = EngineSettings.POLL_FIRST_NANOS;
    private volatile boolean hadPlace;
    private volatile boolean asking;
    private volatile boolean timed;
    private volatile @Nullable StoreException unanswered;
    private volatile @Nullable Obstacle obstacle;

    private volatile @Nullable HeldRight result;
    private volatile @Nullable Failure failure;

    /** Why there is no lease; the exception is made where it is thrown, so that it shows the caller's stack. */
    record Failure(Refusal refusal, Supplier<RuntimeException> exception) {}

    /** What a caller asked for. */
    record Order(
            List<Claim> claims,
            Terms terms,
            boolean asSet,
            @Nullable EngineScope scope,
            boolean interruptOnLoss,
            @Nullable PendingRight<?> pending) {}

    Waiter(Engine engine, Order order, long nowNanos) {
        this.engine = engine;
        this.order = order;
        this.terms = order.terms();
        this.claims = order.claims();
        this.startedNanos = nowNanos;
        this.deadlineNanos = nowNanos + terms.waitAtMostNanos();
        // A request that does not wait for a holder must still wait for the store's answer.
        this.graceNanos = mayWait() ? 0 : engine.answerNanos();
        this.thread = order.pending() == null ? Thread.currentThread() : null;
        this.words = new WaitWords(engine, claims, nowNanos);
        this.id = engine.newOwner();
        this.acquiredAt = engine.leaks().place(id, claims.get(0).key());
    }

    // ---- phases -------------------------------------------------------------------------------------------------

    /** Takes a parked request to work on it. */
    boolean claim() {
        return phase.compareAndSet(Phase.PARKED, Phase.WORKING);
    }

    /** Lays the request down to wait; false if it was ended meanwhile. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the one who works on it
    boolean park() {
        parked++;
        return phase.compareAndSet(Phase.WORKING, Phase.PARKED);
    }

    private boolean isCutShort() {
        return phase.get() == Phase.CUT_SHORT;
    }

    boolean isSettled() {
        return result != null || failure != null;
    }

    // ---- the walk -----------------------------------------------------------------------------------------------

    /** Begins, on the caller's thread. Afterwards it is settled, or waits. */
    void start() {
        advance(NO_GATE);
        if (!isSettled()) {
            timed = true;
            engine.timetable().set(this, deadlineNanos + graceNanos);
            if (isSettled()) {
                engine.timetable().cancel(this);
            } else if (engine.isClosed()) {
                close();
            } else {
                engine.longWaits().begun(terms.waitAtMostNanos(), startedNanos);
            }
        }
    }

    /** Settles at once: the scope's own hold was joined. */
    void join(HeldRight joined) {
        phase.set(Phase.DONE);
        result = joined;
    }

    /** Goes on from the gate that has let this request through: its turn has come, or its place is to be asked for anew. */
    void goOn() {
        advance(at);
    }

    /**
     * Enters the gates of all keys not yet granted, or parks at one that is not free. Somebody who holds that key can be waited for without
     * keeping others from the rest, so the gates entered so far are left again, a few times: else a few large sets would make a queue of
     * everybody. After that, and if keys are held already, they are kept: whoever has had bad luck gets through in the end.
     *
     * @param through the gate that was entered already, or none if negative
     */
    private void advance(int through) {
        Hold prefix = hold;
        int inHand = through;
        int to = enterFrom(next + entered, inHand);
        while (to < claims.size()) {
            boolean keeps = hold != null
                    || triesAtGates++ >= EngineSettings.TRIES_AT_GATES
                    || engine.settings().strictFifo();
            if (inHand > to) {
                leaveGates(inHand, inHand + 1);
            }
            if (!keeps) {
                leaveGates(next, to);
            }
            entered = keeps ? to - next : 0;
            comeTo(to);
            Gate.Arrival arrival = engine.gates().arrive(this, claims.get(to), mayWait(), engine.now());
            if (arrival != Gate.Arrival.ASK) {
                stoppedAtGate(arrival, prefix);
                return;
            }
            inHand = to;
            to = enterFrom(next + entered, inHand);
        }
        at = next;
        entered = 0;
        if (isCutShort()) {
            leaveGates(next, to);
            putDown();
        } else {
            attempt(next, to);
        }
    }

    private void comeTo(int key) {
        at = key;
        if (cameTo != key) {
            cameTo = key;
            cameNanos = engine.now();
        }
    }

    /**
     * It has come to the key's queue at the store. For a reader that is the moment that counts: it waits behind the writers who are there
     * already, however long it has waited behind others of this process.
     */
    private void comeToStore(Claim claim) {
        if (cameToStore != next) {
            cameToStore = next;
            if (claim.mode() == LockMode.SHARED) {
                cameNanos = engine.now();
            }
        }
    }

    /** It had a place in the store's queue and gets another one, behind those who have come since then. */
    void placeForgotten() {
        cameToStore = NO_GATE;
    }

    /** Enters gates as long as they are free; answers the first that is not. A single key's gate is waited for anyway. */
    private int enterFrom(int from, int inHand) {
        int to = from;
        while (to < claims.size() && (to == inHand || entersFree(to))) {
            to++;
        }
        return to;
    }

    private boolean entersFree(int gate) {
        return claims.size() > 1
                && engine.gates().arrive(this, claims.get(gate), false, engine.now()) == Gate.Arrival.ASK;
    }

    private void stoppedAtGate(Gate.Arrival arrival, @Nullable Hold prefix) {
        switch (arrival) {
            case PASSED -> deliver();
            case CUT_SHORT -> {
                leaveEntered();
                putDown();
            }
            case NOT_FREE -> {
                leaveEntered();
                fail(Refusal.BUSY, this::timedOut);
            }
            case FULL -> {
                leaveEntered();
                fail(Refusal.REFUSED, () -> words.full(claims.get(at).key()));
            }
            default -> restartIfPrefixLost(prefix); // parked: somebody else may be working on it by now
        }
    }

    /** Leaves the gates that were kept while it waited at a later one. */
    private void leaveEntered() {
        int kept = entered;
        entered = 0;
        leaveGates(next, next + kept);
    }

    private void attempt(int from, int to) {
        Hold sofar = hold;
        long now = engine.now();
        asking = true;
        sent++;
        Attempt attempt = new Attempt(
                id,
                from == 0 && to == claims.size() ? claims : claims.subList(from, to),
                sofar == null ? List.of() : sofar.renewals(terms.leaseFor()),
                mayWait() && engine.storeQueues(),
                0,
                EngineSettings.HEARD_WITHIN,
                Duration.ofNanos(Math.max(0, deadlineNanos - now)),
                engine.label());
        long limit = answerLimit(now);
        engine.calls()
                .guarded(
                        () -> send(attempt, limit),
                        limit,
                        (answer, error) -> answered(attempt, from, to, now, answer, error),
                        late -> resolveLate(attempt, late));
    }

    /** The caller's own thread waits for the answer anyway, so the store may have it until then. */
    private CompletionStage<AttemptAnswer> send(Attempt attempt, long limitNanos) {
        boolean lent = thread == Thread.currentThread() && engine.lending().lend(limitNanos);
        try {
            return engine.attempt(attempt);
        } finally {
            if (lent) {
                engine.lending().end();
            }
        }
    }

    private long answerLimit(long now) {
        long patient = Math.max(deadlineNanos + graceNanos, startedNanos + EngineSettings.FIRST_ANSWER_NANOS);
        return Math.min(engine.answerNanos(), Math.max(1, patient - now));
    }

    /**
     * An answer came after its limit. While this request is alive, trying again with the same id takes care of it; afterwards
     * what was granted by then is a ghost. A place at the store is left alone if somebody may have inherited it.
     */
    private void resolveLate(Attempt attempt, AttemptAnswer late) {
        Phase now = phase.get();
        if (now != Phase.DONE && now != Phase.ENDED && attempt.id().equals(id)) {
            return;
        }
        List<Granted> granted = late instanceof AttemptAnswer.All all
                ? all.granted()
                : late instanceof AttemptAnswer.Queued queued
                        ? queued.granted()
                        : late instanceof AttemptAnswer.Busy busy ? busy.granted() : List.of();
        engine.places().giveBackGhosts(granted);
        if (!hadPlace) {
            engine.places().resolve(attempt);
        }
    }

    private void answered(
            Attempt attempt,
            int from,
            int to,
            long sentNanos,
            @Nullable AttemptAnswer answer,
            @Nullable StoreException error) {
        if (answer == null) {
            notAnswered(attempt, from, to, error == null ? StoreException.unknown("No answer", null) : error);
            return;
        }
        heard();
        if (answer instanceof AttemptAnswer.All all) {
            collect(attempt, from, all.granted(), sentNanos);
            goOnCollecting();
        } else if (answer instanceof AttemptAnswer.Queued queued) {
            collect(attempt, from, queued.granted(), sentNanos);
            waitAtStore(to, queued.obstacle(), true, sentNanos);
        } else if (answer instanceof AttemptAnswer.Busy busy) {
            collect(attempt, from, busy.granted(), sentNanos);
            waitAtStore(to, busy.obstacle(), false, sentNanos);
        } else {
            leaveGates(from, to);
            restart();
        }
    }

    private void collect(Attempt attempt, int from, List<Granted> granted, long sentNanos) {
        Hold into = hold;
        if (into != null) {
            // The same step extended what was held before.
            into.confirmed(engine.validUntil(sentNanos, terms.leaseFor()), engine.now());
            isShort = false;
        }
        if (granted.isEmpty()) {
            return;
        }
        if (into == null) {
            into = new Hold(engine, terms, this, engine.now());
            hold = into;
        }
        Grant[] grants = new Grant[granted.size()];
        for (int i = 0; i < grants.length; i++) {
            Granted one = granted.get(i);
            grants[i] = one.grant();
            into.limit(engine.validUntil(sentNanos, one.lease()));
            // A repeated attempt finds what is left of its first grant, or one that was handed to it while it waited.
            isShort |= one.lease().compareTo(terms.leaseFor()) < 0;
        }
        List<Claim> asked = attempt.claims();
        into.add(List.of(grants), grants.length == asked.size() ? asked : asked.subList(0, grants.length));
        next = from + granted.size();
        for (int i = from; i < next; i++) {
            engine.gateWon(claims.get(i), this, into);
        }
    }

    private void goOnCollecting() {
        Hold sofar = hold;
        if (next == claims.size() && isShort && sofar != null) {
            confirm(sofar);
        } else if (next == claims.size()) {
            deliver();
        } else if (isCutShort()) {
            putDown();
        } else {
            keepCollected();
            advance(NO_GATE);
        }
    }

    private void keepCollected() {
        Hold sofar = hold;
        if (sofar != null) {
            sofar.keepWhileCollecting(engine.now());
        }
    }

    /** Waits at the first key that was not granted: queued at the store, or to ask again in a while. */
    private void waitAtStore(int to, Obstacle met, boolean queued, long sentNanos) {
        obstacle = met;
        comeTo(next);
        comeToStore(claims.get(next));
        leaveGates(next + 1, to);
        keepCollected();
        Claim claim = claims.get(next);
        Gate gate = engine.gates().require(claim.key());
        if (!mayWait() || engine.now() >= deadlineNanos) {
            if (queued) {
                engine.places().withdraw(id, List.of(claim));
            }
            leaveGates(next, next + 1);
            fail(Refusal.BUSY, this::timedOut);
            return;
        }
        Ask ask = new Ask(engine, gate, id, claim, queued, this, sentNanos, sent == 1);
        hadPlace = true;
        Hold prefix = hold;
        long pause = queued ? Engine.recheckNanos(met.recheckIn()) : nextPollPause();
        // Known before it is visible in the gate: a push may come before this step is over.
        engine.places().remember(ask);
        switch (gate.placed(this, ask)) {
            case PARKED -> {
                // From here on somebody else may be working on this request.
                ask.recheckIn(pause);
                engine.places().deliverEarlyPush(ask);
                restartIfPrefixLost(prefix);
            }
            case INHERITED -> {
                ask.recheckIn(pause);
                engine.places().deliverEarlyPush(ask);
                putDown();
            }
            case ABANDONED -> {
                engine.places().abandon(ask);
                engine.turn(gate);
                putDown();
            }
        }
    }

    /**
     * The store granted the key this request waited for; the grant is short until it is confirmed. The confirmation is waited for, unless it
     * is sure without that for how long the grant lasts at least: then the lease is delivered while its extension is on its way.
     */
    void placeWon(Granted granted, Ask place) {
        long now = engine.now();
        Hold into = hold;
        if (into == null) {
            into = new Hold(engine, terms, this, now);
            hold = into;
        }
        Claim claim = claims.get(next);
        long surelyUntil =
                engine.validUntil(place.waitingSince(), shorter(granted.lease(), EngineSettings.HEARD_WITHIN));
        boolean isSure = place.isSole() && surelyUntil - now >= EngineSettings.SURE_NANOS && mayBeExtendedLater(place);
        into.limit(isSure ? surelyUntil : engine.validUntil(now, EngineSettings.HEARD_WITHIN));
        into.add(List.of(granted.grant()), List.of(claim));
        next++;
        engine.gateWon(claim, this, into);
        engine.places().forget(place);
        if (isSure) {
            deliver();
            into.extendSoon(now);
        } else {
            confirm(into);
        }
    }

    /**
     * Whether a lease that begins with less than its length, and is extended soon, is as good: if it is renewed anyway, and if nobody
     * waits to whom it would be passed on.
     */
    private boolean mayBeExtendedLater(Ask place) {
        return takesPasses()
                && terms.renews()
                && terms.leaseFor().compareTo(EngineSettings.HEARD_WITHIN) > 0
                && !place.gate.isAwaited();
    }

    /** One trip that extends everything held so far, so that the lease that is delivered has its full length. */
    private void confirm(Hold all) {
        if (isCutShort()) {
            putDown();
            return;
        }
        asking = true;
        engine.watchdog().renewNow(all, terms.leaseFor(), outcome -> {
            if (outcome.gone() != null) {
                heard();
                restart();
            } else if (outcome.failure() == null) {
                heard();
                all.confirmed(outcome.validUntilNanos(), engine.now());
                isShort = false;
                goOnCollecting();
            } else if (isCutShort() || engine.now() >= deadlineNanos) {
                fail(Refusal.STORE_UNAVAILABLE, () -> unavailable(outcome.failure()));
            } else {
                unanswered = outcome.failure();
                engine.later(nextRetryPause(), () -> confirm(all));
            }
        });
    }

    private static Duration shorter(Duration a, Duration b) {
        return a.compareTo(b) < 0 ? a : b;
    }

    private void notAnswered(Attempt attempt, int from, int to, StoreException error) {
        switch (error.kind()) {
            case REFUSED -> {
                leaveGates(from, to);
                fail(Refusal.REFUSED, () -> words.refused(claims.get(from).key(), error));
            }
            case NOT_SENT -> {
                leaveGates(from, to);
                if (retries > 0) {
                    // An earlier try of the same attempt may have been carried out.
                    engine.places().resolve(attempt);
                }
                fail(Refusal.STORE_UNAVAILABLE, () -> unavailable(error));
            }
            case UNKNOWN -> {
                unanswered = error;
                if (isCutShort() || engine.now() >= deadlineNanos + graceNanos) {
                    leaveGates(from, to);
                    engine.places().resolve(attempt);
                    fail(Refusal.STORE_UNAVAILABLE, () -> unavailable(error));
                } else {
                    // The same attempt id again: the store answers what it did the first time.
                    engine.later(nextRetryPause(), () -> {
                        if (isCutShort()) {
                            notAnswered(attempt, from, to, error);
                        } else {
                            attempt(from, to);
                        }
                    });
                }
            }
        }
    }

    /** The store has answered: if the patience ends now, it is for a holder, not for want of an answer. */
    private void heard() {
        asking = false;
        unanswered = null;
        retries = 0;
    }

    /** A grant that was already held is gone: gives the rest back and begins again, within the same deadline. */
    private void restart() {
        giveBack();
        if (hadPlace) {
            // If the place was not served after all, it is still in the store's queue.
            engine.places().withdraw(id, claims);
        }
        next = 0;
        at = 0;
        cameTo = NO_GATE;
        cameToStore = NO_GATE;
        sent = 0;
        isShort = false;
        id = engine.newOwner();
        if (isCutShort()) {
            putDown();
        } else if (engine.isClosed()) {
            fail(Refusal.CLOSED, words::closed);
        } else if (!mayWait() || engine.now() >= deadlineNanos) {
            StoreException slow = unanswered;
            if (slow == null) {
                fail(Refusal.BUSY, this::timedOut);
            } else {
                fail(Refusal.STORE_UNAVAILABLE, () -> unavailable(slow));
            }
        } else {
            // After a moment: what went wrong once may go wrong at once again, and the store may be answering on this
            // very stack.
            engine.later(nextRetryPause(), () -> advance(NO_GATE));
        }
    }

    /** What this request had collected was lost while it waits for more. */
    void prefixLost() {
        if (claim()) {
            engine.leaveGate(this, claims.get(at).key());
            leaveEntered();
            restart();
        }
    }

    /** It was laid down. While it was worked on, nobody may have seen it wait. */
    private void restartIfPrefixLost(@Nullable Hold prefix) {
        if (timed) {
            engine.longWaits().begun(terms.waitAtMostNanos(), startedNanos);
        }
        if (prefix != null && !prefix.isLive()) {
            prefixLost();
        }
    }

    /** A hold was passed to this request; set before it is claimed or while it arrives. */
    void receive(Hold passed) {
        hold = passed;
        next = claims.size();
    }

    /** Turns what was collected into a lease, unless the caller has gone or the time is over. */
    void deliver() {
        Hold got = hold;
        long now = engine.now();
        if (got == null || !got.isValid(now)) {
            if (got != null && !got.wasPassed()) {
                // Nobody else has it, so this is not busy: the store was too slow to be believed.
                unanswered = StoreException.unknown("The answer took longer than the lease", null);
            }
            restart();
            return;
        }
        // Decided before anybody can see the lease: one that joined it must not find it gone again.
        if (!phase.compareAndSet(Phase.WORKING, Phase.DONE)) {
            hold = null;
            engine.giveUp(got);
            putDown();
            return;
        }
        hold = null;
        if (timed) {
            engine.timetable().cancel(this);
        }
        got.deliver(now);
        HeldRight right = order.asSet()
                ? new HeldSet(engine, got, order.scope(), holder(), acquiredAt)
                : new HeldLease(engine, got, order.scope(), holder(), acquiredAt);
        right.begin();
        engine.events().granted(got, now - startedNanos);
        settle(right, null);
        if (engine.isClosed()) {
            // The shutdown may have looked for leases just before this one was there.
            engine.endForClosing(got);
        }
    }

    private @Nullable Thread holder() {
        return order.interruptOnLoss() ? thread : null;
    }

    /** Takes a lease that lies open for this request's thread, which has just woken up. */
    private void takeOpen() {
        if (!takesPasses() || phase.get() != Phase.PARKED) {
            return;
        }
        Gate gate = engine.gates().find(claims.get(0).key());
        Gate.Opening opening = gate == null ? null : gate.takeOpen(this, engine.now());
        if (opening == null) {
            return;
        }
        if (opening.taken()) {
            deliver();
        } else {
            engine.giveUp(opening.hold());
        }
    }

    // ---- ends ---------------------------------------------------------------------------------------------------

    /** Blocks the thread that asked until the request is settled; an interrupt ends it. */
    void await() {
        boolean interrupted = false;
        while (!isSettled()) {
            if (Thread.interrupted()) {
                interrupted = true;
                end(Refusal.INTERRUPTED, words::interrupted);
            } else {
                takeOpen();
                if (!isSettled()) {
                    engine.parking().park(this);
                }
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** The lease, once settled; null if there is a {@link #failure()}. */
    @Nullable
    HeldRight result() {
        return result;
    }

    @Nullable
    Failure failure() {
        return failure;
    }

    @Override
    protected void ring(long nowNanos) {
        StoreException lost = unanswered;
        if (lost == null && asking && obstacle == null && nowNanos < startedNanos + EngineSettings.FIRST_ANSWER_NANOS) {
            engine.timetable().set(this, startedNanos + EngineSettings.FIRST_ANSWER_NANOS);
            if (isSettled()) {
                engine.timetable().cancel(this);
            }
            return;
        }
        // Busy only if the store has said so in this wait: an answer that is still out says nothing.
        if (lost != null || (asking && obstacle == null)) {
            engine.lane().execute(() -> end(Refusal.STORE_UNAVAILABLE, () -> unavailable(lost)));
        } else {
            engine.lane().execute(() -> end(Refusal.BUSY, this::timedOut));
        }
    }

    /** The caller cancels. */
    void cancel() {
        end(Refusal.CANCELLED, words::cancelled);
    }

    /** It is on a cycle of waits, and the one of them that is given up. */
    boolean giveUpFor(Deadlock deadlock) {
        return end(Refusal.DEADLOCK, () -> words.deadlock(deadlock));
    }

    /** Its own scope has got the key by another request that was on its way at the same time. */
    boolean giveUpForOwn(LockKey key, EngineScope scope) {
        return end(Refusal.ORDER, () -> words.heldByItsScope(key, scope));
    }

    /** Everything is closed. */
    boolean close() {
        return end(Refusal.CLOSED, words::closed);
    }

    /** Ends the wait from outside; true if this call did. The caller is told at once, whatever is still in flight. */
    private boolean end(Refusal refusal, Supplier<RuntimeException> why) {
        while (true) {
            if (phase.compareAndSet(Phase.PARKED, Phase.ENDED)) {
                ended(refusal, why);
                engine.leaveGate(this, claims.get(at).key());
                leaveEntered();
                giveBack();
                return true;
            }
            if (phase.compareAndSet(Phase.WORKING, Phase.CUT_SHORT)) {
                ended(refusal, why);
                return true;
            }
            Phase now = phase.get();
            if (now != Phase.PARKED && now != Phase.WORKING) {
                return false;
            }
        }
    }

    /** Ends the wait from inside: the one who works on it has found out that it cannot go on. */
    private void fail(Refusal refusal, Supplier<RuntimeException> why) {
        giveBack();
        if (phase.compareAndSet(Phase.WORKING, Phase.ENDED)) {
            ended(refusal, why);
        } else {
            putDown();
        }
    }

    /** The one who works on a request that was cut short has nothing left of it in hand or on its way. */
    private void putDown() {
        giveBack();
        phase.compareAndSet(Phase.CUT_SHORT, Phase.ENDED);
    }

    private void ended(Refusal refusal, Supplier<RuntimeException> why) {
        engine.timetable().cancel(this);
        engine.events().refused(claims, engine.now() - startedNanos, refusal);
        settle(null, new Failure(refusal, why));
    }

    private void settle(@Nullable HeldRight right, @Nullable Failure why) {
        result = right;
        failure = why;
        PendingRight<?> pending = order.pending();
        if (pending != null) {
            pending.settle(right, why == null ? null : why.exception().get());
        } else if (thread != null && thread != Thread.currentThread()) {
            engine.parking().unpark(thread);
        }
    }

    /** To the store, never to the next local waiter: what was collected may be unconfirmed, or gone already. */
    private void giveBack() {
        Hold sofar = hold;
        hold = null;
        if (sofar != null) {
            engine.giveToStore(sofar);
        }
    }

    private void leaveGates(int from, int to) {
        for (int i = from; i < to; i++) {
            Gate gate = engine.gates().require(claims.get(i).key());
            gate.unask(this);
            engine.turn(gate);
        }
    }

    // ---- facts --------------------------------------------------------------------------------------------------

    Terms terms() {
        return terms;
    }

    List<Claim> claims() {
        return claims;
    }

    /** The claim of the key at whose gate it waits. */
    Claim currentClaim() {
        return claims.get(at);
    }

    /**
     * Where it waits, as seen from outside.
     *
     * @param at the number of the key it waits for, among those it asked for
     * @param sinceNanos when it came to that key
     * @param collected what it has got of them so far
     * @param entered at which gates it is first, besides
     */
    record Standing(int at, long sinceNanos, @Nullable Hold collected, List<LockKey> entered) {}

    /** Where it waits; null if it is being worked on right now, or over. */
    @Nullable
    Standing standing() {
        int before = parked;
        if (phase.get() != Phase.PARKED) {
            return null;
        }
        int from = next;
        int kept = entered;
        Standing standing = new Standing(at, cameNanos, hold, kept == 0 ? List.of() : keys(from, from + kept));
        // The plain fields must have been read before it is checked that nobody has worked on them meanwhile.
        VarHandle.acquireFence();
        return phase.get() == Phase.PARKED && parked == before ? standing : null;
    }

    private List<LockKey> keys(int from, int to) {
        return Events.keys(claims.subList(Math.min(from, claims.size()), Math.min(to, claims.size())));
    }

    /** Whether the store has last told that readers, or holders of permits, are in its way. */
    boolean isBehindReaders() {
        Obstacle met = obstacle;
        return met != null
                && met.holder()
                        .filter(holder -> holder.mode() == LockMode.SHARED)
                        .isPresent();
    }

    long startedNanos() {
        return startedNanos;
    }

    @Nullable
    EngineScope scope() {
        return order.scope();
    }

    /** Whether a place at the store for the key it waits for would serve it: it has all keys before. */
    boolean wantsPlace() {
        return at == next;
    }

    /** A lease can be passed only to a request for that one key, alone. */
    boolean takesPasses() {
        return claims.size() == 1 && claims.get(0).mode() == LockMode.EXCLUSIVE;
    }

    /** Whether a thread must wake up before it can take anything. */
    boolean isThread() {
        return thread != null;
    }

    void wake() {
        engine.parking().unpark(thread);
    }

    void storeUnanswered(StoreException error) {
        unanswered = error;
    }

    void storeAnswered() {
        unanswered = null;
    }

    private boolean mayWait() {
        return terms.waitAtMostNanos() > 0;
    }

    private long nextPollPause() {
        long pause = engine.jittered(pollNanos);
        pollNanos = Math.min(EngineSettings.POLL_LONGEST_NANOS, pollNanos * 2);
        return pause;
    }

    private long nextRetryPause() {
        return engine.jittered(Math.min(EngineSettings.POLL_LONGEST_NANOS, 20_000_000L << Math.min(retries++, 6)));
    }

    private LockTimeoutException timedOut() {
        return words.timedOut(mayWait(), currentClaim().key(), obstacle);
    }

    private StoreUnavailableException unavailable(@Nullable StoreException why) {
        return words.unavailable(why);
    }
}
