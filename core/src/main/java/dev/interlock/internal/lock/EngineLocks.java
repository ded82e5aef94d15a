package dev.interlock.internal.lock;

import dev.interlock.lock.LearnedOrder;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.LockType;
import dev.interlock.lock.Locks;
import dev.interlock.lock.WaitForGraph;
import java.time.Duration;
import java.util.Collection;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Lock;

/** The way in: makes requests, and knows the scope of each thread. */
final class EngineLocks implements Locks {
    private final Engine engine;
    private final Terms standardTerms;
    private final Map<LockType, Terms> termsByType = new ConcurrentHashMap<>();

    /** One per engine on purpose: scopes of two stores have nothing to do with each other. */
    private final ThreadScopes scopes;

    /** The scope of each thread. Does not know the engine: threads keep their scopes as long as they live, and must not keep an engine that is closed. */
    private static final class ThreadScopes extends ThreadLocal<EngineScope> {
        private final AtomicLong numbers = new AtomicLong();
        private final LockOrder order;

        ThreadScopes(LockOrder order) {
            this.order = order;
        }

        @Override
        protected EngineScope initialValue() {
            return newScope("thread " + Thread.currentThread().getName(), numbers.incrementAndGet());
        }

        EngineScope newScope(String name) {
            long number = numbers.incrementAndGet();
            return newScope(name + " #" + number, number);
        }

        private EngineScope newScope(String name, long number) {
            return new EngineScope(name, number, this, order);
        }
    }

    EngineLocks(Engine engine) {
        this.engine = engine;
        this.scopes = new ThreadScopes(engine.settings().order());
        this.standardTerms =
                Terms.resolve(LockSettings.inherit(), engine.settings().defaults());
    }

    @Override
    public LockRequest<Lease> with(LockKey key) {
        Objects.requireNonNull(key, "key is null: say what to lock");
        return new EngineRequest<>(engine, this, Lease.class, List.of(key));
    }

    @Override
    public LockRequest<LeaseSet> with(Collection<LockKey> keys) {
        Objects.requireNonNull(keys, "keys is null: say what to lock");
        LinkedHashSet<LockKey> distinct = new LinkedHashSet<>();
        for (LockKey key : keys) {
            distinct.add(Objects.requireNonNull(key, "One of the keys is null: remove it"));
        }
        if (distinct.isEmpty()) {
            throw new IllegalArgumentException("No keys: name at least one to lock");
        }
        if (distinct.size() > EngineSettings.KEYS_PER_REQUEST) {
            throw new IllegalArgumentException(distinct.size() + " keys in one request, at most "
                    + EngineSettings.KEYS_PER_REQUEST + " are allowed: lock something coarser");
        }
        List<LockKey> sorted =
                distinct.stream().sorted(engine.settings().order()).toList();
        return new EngineRequest<>(engine, this, LeaseSet.class, sorted);
    }

    /** The terms of a request for this first key that sets nothing itself. */
    Terms termsFor(LockKey key) {
        LockType type = engine.settings().order().typeOf(key).orElse(null);
        return type == null
                ? standardTerms
                : termsByType.computeIfAbsent(
                        type,
                        declared -> Terms.resolve(
                                declared.settings(), engine.settings().defaults()));
    }

    @Override
    public Lock asLock(LockKey key) {
        return new ThreadLock(
                with(key).reentrant(), key, Duration.ofNanos(termsFor(key).waitAtMostNanos()), engine.surroundings());
    }

    @Override
    public EngineScope currentScope() {
        return scopes.get();
    }

    @Override
    public LockScope newScope(String name) {
        EngineSettings.checkName("A scope's name", name);
        return scopes.newScope(name);
    }

    @Override
    public Executor carryingScope(Executor executor) {
        Objects.requireNonNull(executor, "executor is null: give the one that runs the tasks");
        return task -> {
            EngineScope carried = currentScope();
            executor.execute(() -> carried.run(task::run));
        };
    }

    @Override
    public ExecutorService carryingScope(ExecutorService executor) {
        Objects.requireNonNull(executor, "executor is null: give the one that runs the tasks");
        return new ScopedExecutor(executor, this);
    }

    @Override
    public LearnedOrder learnedOrder() {
        return engine.orderLearner().learned();
    }

    @Override
    public WaitForGraph waitForGraph() {
        return new StoreOperator(engine).waitForGraph();
    }

    boolean owns(EngineScope candidate) {
        return candidate.belongsTo(scopes);
    }
}
