package dev.interlock.internal.lock;

import dev.interlock.lock.AlreadyHeldException;
import dev.interlock.lock.Holding;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockOrderException;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.LockedAction;
import dev.interlock.lock.LockedFunction;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.lock.PendingLease;
import dev.interlock.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request being put together, and the checks that are made before any store is touched. */
final class EngineRequest<H extends Holding> implements LockRequest<H> {
    private static final int MOST_PERMITS = 1_000_000;

    /** What is asked for besides keys and times. */
    private record Manner(
            LockMode mode,
            int permits,
            int capacity,
            boolean reentrant,
            boolean interruptOnLoss,
            @Nullable EngineScope scope) {
        static final Manner PLAIN = new Manner(LockMode.EXCLUSIVE, 1, 1, false, false, null);
    }

    private final Engine engine;
    private final EngineLocks locks;
    private final Class<H> kind;
    private final List<LockKey> keys;
    private final LockSettings settings;
    private final Manner manner;

    EngineRequest(Engine engine, EngineLocks locks, Class<H> kind, List<LockKey> keys) {
        this(engine, locks, kind, keys, LockSettings.inherit(), Manner.PLAIN);
    }

    private EngineRequest(
            Engine engine, EngineLocks locks, Class<H> kind, List<LockKey> keys, LockSettings settings, Manner manner) {
        this.engine = engine;
        this.locks = locks;
        this.kind = kind;
        this.keys = keys;
        this.settings = settings;
        this.manner = manner;
    }

    private EngineRequest<H> set(LockSettings changed) {
        return new EngineRequest<>(engine, locks, kind, keys, changed, manner);
    }

    private EngineRequest<H> set(Manner changed) {
        return new EngineRequest<>(engine, locks, kind, keys, settings, changed);
    }

    @Override
    public LockRequest<H> waitAtMost(Duration patience) {
        return set(settings.waitAtMost(patience));
    }

    @Override
    public LockRequest<H> leaseFor(Duration length) {
        return set(settings.leaseFor(length));
    }

    @Override
    public LockRequest<H> renew(boolean keepAlive) {
        return set(settings.renew(keepAlive));
    }

    @Override
    public LockRequest<H> renewEvery(Duration interval) {
        return set(settings.renewEvery(interval));
    }

    @Override
    public LockRequest<H> holdAtMost(Duration longest) {
        return set(settings.holdAtMost(longest));
    }

    @Override
    public LockRequest<H> lockDelay(Duration grace) {
        return set(settings.lockDelay(grace));
    }

    @Override
    public LockRequest<H> exclusive() {
        return set(new Manner(LockMode.EXCLUSIVE, 1, 1, manner.reentrant, manner.interruptOnLoss, manner.scope));
    }

    @Override
    public LockRequest<H> shared() {
        return set(new Manner(LockMode.SHARED, 1, 1, manner.reentrant, manner.interruptOnLoss, manner.scope));
    }

    @Override
    public LockRequest<H> permits(int permits, int capacity) {
        if (permits < 1 || capacity < permits || capacity > MOST_PERMITS) {
            throw new IllegalArgumentException(permits + " permits of " + capacity
                    + ": ask for at least one, and not for more than there are; at most " + MOST_PERMITS);
        }
        return set(new Manner(
                LockMode.PERMITS, permits, capacity, manner.reentrant, manner.interruptOnLoss, manner.scope));
    }

    @Override
    public LockRequest<H> reentrant() {
        return set(
                new Manner(manner.mode, manner.permits, manner.capacity, true, manner.interruptOnLoss, manner.scope));
    }

    @Override
    public LockRequest<H> in(LockScope scope) {
        Objects.requireNonNull(scope, "scope is null: leave it out to use the thread's own");
        if (!(scope instanceof EngineScope own) || !locks.owns(own)) {
            throw new IllegalArgumentException(
                    "Scope \"" + scope.name() + "\" is of another Interlock: make one with newScope of this one");
        }
        return set(new Manner(
                manner.mode, manner.permits, manner.capacity, manner.reentrant, manner.interruptOnLoss, own));
    }

    @Override
    public LockRequest<H> interruptOnLoss() {
        return set(new Manner(manner.mode, manner.permits, manner.capacity, manner.reentrant, true, manner.scope));
    }

    @Override
    public H acquire() {
        Waiter waiter = block(settings);
        HeldRight right = waiter.result();
        if (right != null) {
            return kind.cast(right);
        }
        throw Objects.requireNonNull(waiter.failure()).exception().get();
    }

    @Override
    public Optional<H> tryAcquire() {
        return tryAcquire(Duration.ZERO);
    }

    @Override
    public Optional<H> tryAcquire(Duration patience) {
        Waiter waiter = block(settings.waitAtMost(patience));
        HeldRight right = waiter.result();
        if (right != null) {
            return Optional.of(kind.cast(right));
        }
        Waiter.Failure why = Objects.requireNonNull(waiter.failure());
        if (why.refusal() == Refusal.BUSY) {
            return Optional.empty();
        }
        throw why.exception().get();
    }

    @Override
    public PendingLease<H> acquireAsync() {
        if (manner.reentrant && manner.scope == null) {
            throw new IllegalArgumentException(
                    "reentrant() without a scope: an asynchronous request joins none by itself, name one with in(scope)");
        }
        if (manner.interruptOnLoss) {
            throw new IllegalArgumentException(
                    "interruptOnLoss() on an asynchronous request: no thread owns it, use onLost or lost()");
        }
        PendingRight<H> pending = new PendingRight<>(engine, kind);
        Terms terms = terms(settings);
        HeldRight joined = check(terms, manner.scope);
        if (joined != null) {
            pending.complete(kind.cast(joined));
            return pending;
        }
        Waiter waiter = waiter(terms, manner.scope, pending);
        engine.events().attempted(waiter.claims());
        pending.start(waiter);
        return pending;
    }

    @Override
    public <E extends Exception> void run(LockedAction<? super H, E> work) throws E {
        Objects.requireNonNull(work, "work is null: give what to do under the lock");
        H held = acquire();
        try {
            work.run(held);
        } finally {
            held.close();
        }
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(LockedFunction<? super H, T, E> work) throws E {
        Objects.requireNonNull(work, "work is null: give what to do under the lock");
        H held = acquire();
        try {
            return work.call(held);
        } finally {
            held.close();
        }
    }

    @Override
    public <E extends Exception> boolean tryRun(LockedAction<? super H, E> work) throws E {
        return tryRun(Duration.ZERO, work);
    }

    @Override
    public <E extends Exception> boolean tryRun(Duration patience, LockedAction<? super H, E> work) throws E {
        Objects.requireNonNull(work, "work is null: give what to do under the lock");
        Optional<H> held = tryAcquire(patience);
        if (held.isEmpty()) {
            return false;
        }
        try {
            work.run(held.get());
        } finally {
            held.get().close();
        }
        return true;
    }

    private Waiter block(LockSettings wanted) {
        Terms terms = terms(wanted);
        EngineScope scope = manner.scope != null ? manner.scope : locks.currentScope();
        HeldRight joined = check(terms, scope);
        Waiter waiter = waiter(terms, scope, null);
        if (joined != null) {
            waiter.join(joined);
        } else {
            engine.events().attempted(waiter.claims());
            waiter.start();
            waiter.await();
        }
        return waiter;
    }

    private Waiter waiter(Terms terms, @Nullable EngineScope scope, @Nullable PendingRight<H> pending) {
        List<Claim> claims = claims(terms);
        return new Waiter(
                engine,
                new Waiter.Order(claims, terms, kind == LeaseSet.class, scope, manner.interruptOnLoss, pending),
                engine.now());
    }

    private Terms terms(LockSettings wanted) {
        if (wanted == LockSettings.inherit()) {
            return locks.termsFor(keys.get(0));
        }
        LockSettings typed = engine.settings()
                .order()
                .typeOf(keys.get(0))
                .map(type -> type.settings().orElse(engine.settings().defaults()))
                .orElse(engine.settings().defaults());
        return Terms.resolve(wanted, typed);
    }

    private List<Claim> claims(Terms terms) {
        if (keys.size() == 1) {
            return List.of(claim(keys.get(0), terms));
        }
        List<Claim> claims = new ArrayList<>(keys.size());
        for (LockKey key : keys) {
            claims.add(claim(key, terms));
        }
        return claims;
    }

    private Claim claim(LockKey key, Terms terms) {
        return new Claim(key, manner.mode, manner.permits, manner.capacity, terms.leaseFor(), terms.lockDelay());
    }

    // ---- checks -------------------------------------------------------------------------------------------------

    /** Refuses what cannot go well, before any store is touched; gives a lease if the scope's own hold is joined. */
    private @Nullable HeldRight check(Terms terms, @Nullable EngineScope scope) {
        if (engine.isClosed()) {
            throw new InterlockClosedException("This Interlock is closed: open a new one to lock " + keys);
        }
        if (!engine.capabilities().modes().contains(manner.mode)) {
            throw new LockRefusedException(engine.storeName() + " has no " + manner.mode + " locks");
        }
        if (!terms.lockDelay().isZero() && !engine.capabilities().lockDelay()) {
            throw new LockRefusedException(
                    engine.storeName() + " cannot keep a lock closed after a loss: leave lockDelay out");
        }
        if (engine.validUntil(0, terms.leaseFor()) <= 0) {
            throw new IllegalArgumentException("leaseFor is " + terms.leaseFor() + ", too short for "
                    + engine.storeName() + ", whose leases may end "
                    + engine.capabilities().granularity() + " early: take a longer lease");
        }
        checkDeclared();
        if (scope == null || scope.isEmpty()) {
            return null;
        }
        HeldRight joined = joinHeld(scope, terms);
        if (joined == null && terms.waitAtMostNanos() > 0) {
            checkOrder(scope, terms);
        }
        return joined;
    }

    private void checkDeclared() {
        LockOrder order = engine.settings().order();
        if (order.isClosed()) {
            for (LockKey key : keys) {
                if (order.typeOf(key).isEmpty() && !key.equals(DeadlockMonitor.KEY)) {
                    throw new IllegalArgumentException("\"" + key
                            + "\" is of no declared lock type, and the order is closed: declare its type among "
                            + order.types().stream().map(type -> type.name()).toList());
                }
            }
        }
    }

    private @Nullable HeldRight joinHeld(EngineScope scope, Terms terms) {
        for (LockKey key : keys) {
            for (Hold held = scope.holding(key); held != null; held = scope.holding(key)) {
                if (!manner.reentrant || !covers(held)) {
                    engine.events().refused(claims(terms), 0, Refusal.ORDER);
                    throw new AlreadyHeldException(key, alreadyHeld(key, held, scope));
                }
                if (join(held, key, scope)) {
                    HeldRight joined = kind == LeaseSet.class
                            ? new HeldSet(engine, held, scope, interruptee(), place(held))
                            : new HeldLease(engine, held, scope, interruptee(), place(held));
                    joined.begin();
                    return joined;
                }
            }
        }
        return null;
    }

    /**
     * Joins a hold of the scope. Between finding and joining it, another thread may have closed the lease and the hold may have been
     * passed to a stranger: then it is put down again.
     */
    private boolean join(Hold held, LockKey key, EngineScope scope) {
        if (!held.join()) {
            return false;
        }
        if (scope.holding(key) == held) {
            return true;
        }
        if (held.partAndWasLast()) {
            engine.giveUp(held);
        }
        return false;
    }

    private List<StackTraceElement> place(Hold held) {
        return engine.leaks().place(held.grant(0).owner(), keys.get(0));
    }

    private @Nullable Thread interruptee() {
        return manner.interruptOnLoss ? Thread.currentThread() : null;
    }

    private boolean covers(Hold held) {
        if (manner.mode == LockMode.PERMITS || held.size() != keys.size()) {
            return false;
        }
        for (LockKey key : keys) {
            int index = held.indexOf(key);
            LockMode mode = index < 0 ? LockMode.PERMITS : held.mode(index);
            if (mode != LockMode.EXCLUSIVE && mode != manner.mode) {
                return false;
            }
        }
        return true;
    }

    private String alreadyHeld(LockKey key, Hold held, EngineScope scope) {
        String heldAs = held.claimOn(key).mode() + " for "
                + Duration.ofNanos(held.heldNanos(engine.now())).toMillis() + " ms";
        String advice = !manner.reentrant
                ? "Pass the lease along, or ask with reentrant() to join it"
                : "It cannot be joined by this request: a shared hold is not widened, permits are not joined, and a set is joined as a whole";
        return "\"" + key + "\" is held already by " + scope + ", " + heldAs + ": waiting for it would never end. "
                + advice;
    }

    private void checkOrder(EngineScope scope, Terms terms) {
        List<LockKey> held = scope.held();
        if (held.isEmpty()) {
            return;
        }
        engine.orderLearner().learn(scope, held, keys);
        OrderPolicy policy = engine.settings().orderPolicy();
        LockKey last = held.get(held.size() - 1);
        if (policy == OrderPolicy.ALLOW || engine.settings().order().compare(keys.get(0), last) > 0) {
            return;
        }
        boolean refuse = policy == OrderPolicy.REFUSE;
        engine.events().orderViolated(claims(terms), last, scope.name(), refuse);
        String message = "Waiting for \"" + keys.get(0) + "\" while " + scope + " holds \"" + last
                + "\", which comes later in the order, can deadlock. Take both in one request, or in the other order; asking without patience is allowed";
        if (refuse) {
            engine.events().refused(claims(terms), 0, Refusal.ORDER);
            throw new LockOrderException(message);
        }
        engine.warnOnce(engine.typeOf(keys.get(0)) + " after " + engine.typeOf(last), message);
    }
}
