package dev.interlock.internal.lock;

import dev.interlock.lock.Holding;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.LockedAction;
import dev.interlock.lock.LockedFunction;
import dev.interlock.lock.PendingLease;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** A request that is being built, and the calls that start it. Immutable. */
final class EngineRequest<H extends Holding> implements LockRequest<H> {
    private static final int MAX_PERMITS = 1_000_000;

    private final EngineLocks locks;
    private final Class<H> kind;
    private final List<LockKey> keys;
    private final LockSettings settings;
    private final RequestOptions options;

    EngineRequest(EngineLocks locks, Class<H> kind, List<LockKey> keys) {
        this(locks, kind, keys, LockSettings.inherit(), RequestOptions.STANDARD);
    }

    private EngineRequest(
            EngineLocks locks, Class<H> kind, List<LockKey> keys, LockSettings settings, RequestOptions options) {
        this.locks = locks;
        this.kind = kind;
        this.keys = keys;
        this.settings = settings;
        this.options = options;
    }

    private EngineRequest<H> set(LockSettings changed) {
        return new EngineRequest<>(locks, kind, keys, changed, options);
    }

    private EngineRequest<H> set(RequestOptions changed) {
        return new EngineRequest<>(locks, kind, keys, settings, changed);
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
        return set(options.withMode(LockMode.EXCLUSIVE, 1, 1));
    }

    @Override
    public LockRequest<H> shared() {
        return set(options.withMode(LockMode.SHARED, 1, 1));
    }

    @Override
    public LockRequest<H> permits(int permits, int capacity) {
        if (permits < 1 || capacity < permits || capacity > MAX_PERMITS) {
            throw new IllegalArgumentException(permits + " permits of " + capacity
                    + ": ask for at least one, and not for more than there are; at most " + MAX_PERMITS);
        }
        return set(options.withMode(LockMode.PERMITS, permits, capacity));
    }

    @Override
    public LockRequest<H> reentrant() {
        return set(options.withReentry());
    }

    @Override
    public LockRequest<H> in(LockScope scope) {
        Objects.requireNonNull(scope, "scope is null: leave it out to use the thread's own");
        if (!(scope instanceof EngineScope own) || !locks.owns(own)) {
            throw new IllegalArgumentException("Scope \"" + scope.name()
                    + "\" belongs to another Interlock: create one with newScope of this one");
        }
        return set(options.withScope(own));
    }

    @Override
    public LockRequest<H> interruptOnLoss() {
        return set(options.withInterruptOnLoss());
    }

    @Override
    public H acquire() {
        Waiter waiter = block(settings);
        LeaseHandle lease = waiter.result();
        if (lease != null) {
            return kind.cast(lease);
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
        LeaseHandle lease = waiter.result();
        if (lease != null) {
            return Optional.of(kind.cast(lease));
        }
        Waiter.Failure why = Objects.requireNonNull(waiter.failure());
        if (why.refusal() == Refusal.BUSY) {
            return Optional.empty();
        }
        throw why.exception().get();
    }

    @Override
    public PendingLease<H> acquireAsync() {
        if (options.reentrant() && options.scope() == null) {
            throw new IllegalArgumentException(
                    "reentrant() without a scope: an asynchronous request belongs to none, name one with in(scope)");
        }
        if (options.interruptOnLoss()) {
            throw new IllegalArgumentException(
                    "interruptOnLoss() on an asynchronous request: no thread owns it, use onLost or lost()");
        }
        PendingHandle<H> pending = new PendingHandle<>(locks.completions(), kind);
        ResolvedSettings resolved = resolve(settings);
        LeaseHandle joined = locks.check(checked(resolved, options.scope()));
        if (joined != null) {
            pending.complete(kind.cast(joined));
            return pending;
        }
        Waiter waiter = waiter(resolved, options.scope(), pending);
        pending.start(() -> locks.start(waiter), waiter::cancel);
        return pending;
    }

    @Override
    public <E extends Exception> void run(LockedAction<? super H, E> work) throws E {
        Objects.requireNonNull(work, "work is null: pass the code to run under the lock");
        H held = acquire();
        try {
            work.run(held);
        } finally {
            held.close();
        }
    }

    @Override
    public <T extends @Nullable Object, E extends Exception> T call(LockedFunction<? super H, T, E> work) throws E {
        Objects.requireNonNull(work, "work is null: pass the code to run under the lock");
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
        Objects.requireNonNull(work, "work is null: pass the code to run under the lock");
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
        ResolvedSettings resolved = resolve(wanted);
        EngineScope scope = options.scope() != null ? options.scope() : locks.currentScope();
        LeaseHandle joined = locks.check(checked(resolved, scope));
        Waiter waiter = waiter(resolved, scope, null);
        if (joined != null) {
            waiter.join(joined);
        } else {
            locks.startAndAwait(waiter);
        }
        return waiter;
    }

    private Waiter waiter(ResolvedSettings resolved, @Nullable EngineScope scope, @Nullable PendingHandle<H> pending) {
        return locks.newWaiter(new Waiter.Order(
                options.claims(keys, resolved),
                resolved,
                kind == LeaseSet.class,
                scope,
                options.interruptOnLoss(),
                pending));
    }

    private ResolvedSettings resolve(LockSettings wanted) {
        return locks.resolve(wanted, keys.get(0));
    }

    private RequestChecks.Request checked(ResolvedSettings resolved, @Nullable EngineScope scope) {
        return new RequestChecks.Request(keys, options, resolved, kind == LeaseSet.class, scope);
    }
}
