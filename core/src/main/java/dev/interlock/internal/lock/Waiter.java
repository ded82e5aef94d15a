package dev.interlock.internal.lock;

import dev.interlock.internal.deadlock.Deadlock;
import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.internal.runtime.Timetable;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer.Obstacle;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreException;
import java.lang.invoke.VarHandle;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One pending request: its state and its {@link Phase}, from its arrival at the first gate until its lease or its
 * refusal.
 *
 * <p>The steps are elsewhere: {@link GateWalk} enters the gates, {@link StoreAttempts} talks to the store and
 * {@link Settlement} delivers the lease or ends the request. Fields without a modifier are written only by the thread
 * that works on the request; the phase hands them to the next thread.
 *
 * <p>Invariants: a grant is delivered or returned, exactly one of the two; a request that has ended is never granted.
 * Rings when its patience is over.
 */
final class Waiter extends Timetable.Entry implements Collector {
    static final int NO_GATE = -1;

    /** Why there is no lease. The exception is created where it is thrown, so that it has the caller's stack. */
    record Failure(Refusal refusal, Supplier<RuntimeException> exception) {}

    /** What the caller asked for. */
    record Order(
            List<Claim> claims,
            ResolvedSettings settings,
            boolean asSet,
            @Nullable EngineScope scope,
            boolean interruptOnLoss,
            @Nullable PendingHandle<?> pending) {}

    private final WaiterSteps steps;
    private final EngineRuntime runtime;
    final Order order;
    final List<Claim> claims;
    final long startedNanos;
    final long deadlineNanos;

    /** Extra time after the deadline: a request that does not wait for a holder still waits for the store's answer. */
    final long graceNanos;

    /** The thread that waits for the outcome; null for an asynchronous request. */
    final @Nullable Thread thread;

    final List<StackTraceElement> acquiredAt;
    private final AtomicReference<Phase> phase = new AtomicReference<>(Phase.WORKING);

    /** How many running threads have barged past it. Guarded by the gate's mutex. */
    int barges;

    volatile OwnerId id;

    /** The first key that is not granted yet. */
    int next;

    /** The key at whose gate it waits. */
    int at;

    /** The key that it reached last, and when. It may have been taken up since then and parked at the same key. */
    private int reached = NO_GATE;

    private long reachedNanos;

    /** The key for which the store answered that it must wait. */
    private int reachedAtStore = NO_GATE;

    /** How many gates from {@code next} on it keeps while it waits at a later one. */
    int entered;

    int gateRetries;

    /** Attempts sent with the current id. */
    int sent;

    /** Whether some grant has less than the full lease, so that it must be confirmed before delivery. */
    boolean isShort;

    /** How many times it was parked: shows an observer whether it has moved. */
    private volatile int parked;

    /** The grants collected so far. */
    @Nullable
    Hold hold;

    int retries;
    long pollNanos = Protocol.FIRST_POLL_NANOS;
    volatile boolean hadPlace;

    /** Whether a call is out whose answer decides how the request continues. */
    volatile boolean asking;

    /** Whether its patience is in the timetable. */
    volatile boolean timed;

    /** The last call's failure, until the store answers again. */
    volatile @Nullable StoreException unanswered;

    volatile @Nullable Obstacle obstacle;
    private volatile @Nullable LeaseHandle result;
    private volatile @Nullable Failure failure;

    Waiter(
            WaiterSteps steps,
            EngineRuntime runtime,
            Order order,
            OwnerId id,
            List<StackTraceElement> acquiredAt,
            long nowNanos) {
        this.steps = steps;
        this.runtime = runtime;
        this.order = order;
        this.claims = order.claims();
        this.startedNanos = nowNanos;
        this.deadlineNanos = nowNanos + order.settings().waitAtMostNanos();
        this.graceNanos = mayWait() ? 0 : runtime.answerNanos();
        this.thread = order.pending() == null ? Thread.currentThread() : null;
        this.id = id;
        this.acquiredAt = acquiredAt;
    }

    // ---- phases -------------------------------------------------------------------------------------------------

    /** Takes up a parked request to work on it. */
    boolean takeUp() {
        return move(Phase.PARKED, Phase.WORKING);
    }

    /** Parks the request; false if it was ended just before. */
    @SuppressWarnings("NonAtomicVolatileUpdate") // only the thread that works on it
    boolean park() {
        parked++;
        return move(Phase.WORKING, Phase.PARKED);
    }

    boolean move(Phase from, Phase to) {
        return phase.compareAndSet(from, to);
    }

    Phase phase() {
        return Objects.requireNonNull(phase.get());
    }

    boolean isCutShort() {
        return phase.get() == Phase.CUT_SHORT;
    }

    boolean isSettled() {
        return result != null || failure != null;
    }

    /** Settles at once with a lease that joined a hold of the scope. */
    void join(LeaseHandle joined) {
        phase.set(Phase.DONE);
        result = joined;
    }

    /** Sets the outcome and wakes the caller. Exactly one of the two is not null. */
    void settle(@Nullable LeaseHandle lease, @Nullable Failure why) {
        result = lease;
        failure = why;
        PendingHandle<?> pending = order.pending();
        if (pending != null) {
            pending.settle(lease, why == null ? null : why.exception().get());
        } else if (thread != null && thread != Thread.currentThread()) {
            runtime.parking().unpark(thread);
        }
    }

    /** The lease, once settled; null if there is a {@link #failure()}. */
    @Nullable
    LeaseHandle result() {
        return result;
    }

    @Nullable
    Failure failure() {
        return failure;
    }

    // ---- steps that other parts start ---------------------------------------------------------------------------

    void goOn() {
        steps.goOn(this);
    }

    void deliver() {
        steps.deliver(this);
    }

    void placeWon(Granted granted, QueuePlace place) {
        steps.placeWon(this, granted, place);
    }

    @Override
    public void prefixLost() {
        steps.prefixLost(this);
    }

    @Override
    protected void ring(long nowNanos) {
        steps.patienceOver(this, nowNanos);
    }

    void cancel() {
        steps.cancel(this);
    }

    boolean close() {
        return steps.close(this);
    }

    void giveUpFor(Deadlock deadlock) {
        steps.giveUpFor(this, deadlock);
    }

    void giveUpForOwn(LockKey key, EngineScope scope) {
        steps.giveUpForOwn(this, key, scope);
    }

    @Override
    public void receive(Hold passed) {
        hold = passed;
        next = claims.size();
    }

    void wake() {
        runtime.parking().unpark(thread);
    }

    // ---- where it is --------------------------------------------------------------------------------------------

    /** It has come to the gate of this key. */
    void reach(int key) {
        at = key;
        if (reached != key) {
            reached = key;
            reachedNanos = runtime.now();
        }
    }

    /**
     * It has come to the queue of the next key at the store. For a reader this is the moment that counts: it waits
     * behind the writers that are there already, however long it has waited behind other requests of this process.
     */
    void reachStore() {
        if (reachedAtStore != next) {
            reachedAtStore = next;
            if (claims.get(next).mode() == LockMode.SHARED) {
                reachedNanos = runtime.now();
            }
        }
    }

    /** The store forgot its place. It gets another one behind the waiters that have come since then. */
    void placeForgotten() {
        reachedAtStore = NO_GATE;
    }

    /** Starts again with the first key and a new id. */
    void reset(OwnerId newId) {
        next = 0;
        at = 0;
        reached = NO_GATE;
        reachedAtStore = NO_GATE;
        sent = 0;
        isShort = false;
        id = newId;
    }

    /**
     * Where a request waits, as seen from outside.
     *
     * @param at the index of the key that it waits for
     * @param sinceNanos when it came to that key
     * @param collected the grants collected so far
     * @param entered the gates that it keeps
     */
    record Standing(int at, long sinceNanos, @Nullable Hold collected, List<LockKey> entered) {}

    /** Where it waits; null if a thread works on it, or it is over. */
    @Nullable
    Standing standing() {
        int before = parked;
        if (phase.get() != Phase.PARKED) {
            return null;
        }
        int from = next;
        int gates = entered;
        Standing standing = new Standing(at, reachedNanos, hold, gates == 0 ? List.of() : keys(from, from + gates));
        // The plain fields must have been read before the check that no thread has worked on them.
        VarHandle.acquireFence();
        return phase.get() == Phase.PARKED && parked == before ? standing : null;
    }

    private List<LockKey> keys(int from, int to) {
        List<LockKey> keys = new ArrayList<>();
        for (int i = from; i < Math.min(to, claims.size()); i++) {
            keys.add(claims.get(i).key());
        }
        return keys;
    }

    // ---- facts --------------------------------------------------------------------------------------------------

    @Override
    public ResolvedSettings settings() {
        return order.settings();
    }

    /** The claim of the key at whose gate it waits. */
    Claim currentClaim() {
        return claims.get(at);
    }

    @Nullable
    EngineScope scope() {
        return order.scope();
    }

    boolean mayWait() {
        return order.settings().waitAtMostNanos() > 0;
    }

    /** Whether it can use a place at the store for the key it waits for: it has all earlier keys. */
    boolean wantsPlace() {
        return at == next;
    }

    /** Whether a hold can be passed to it: only if it asks for one exclusive key. */
    boolean takesPasses() {
        return claims.size() == 1 && claims.get(0).mode() == LockMode.EXCLUSIVE;
    }

    /** Whether a thread waits for it, which must wake up before it can take anything. */
    boolean isThread() {
        return thread != null;
    }

    /** Whether, by the store's last answer, readers or holders of permits are in its way. */
    boolean isBehindReaders() {
        Obstacle met = obstacle;
        return met != null
                && met.holder()
                        .filter(holder -> holder.mode() == LockMode.SHARED)
                        .isPresent();
    }

    void storeUnanswered(StoreException error) {
        unanswered = error;
    }

    void storeAnswered() {
        unanswered = null;
    }
}
