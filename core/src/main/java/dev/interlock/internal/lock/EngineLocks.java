package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
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
import org.jspecify.annotations.Nullable;

/** The entry point of the engine: creates and starts requests, and knows the scope of each thread. */
final class EngineLocks implements Locks {
    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final Events events;
    private final RequestChecks checks;
    private final GateWalk walk;
    private final OrderLearner orderLearner;
    private final StoreOperator operator;
    private final ResolvedSettings standard;
    private final Map<LockType, ResolvedSettings> byType = new ConcurrentHashMap<>();

    /** One per engine on purpose: scopes of two stores are independent. */
    private final ThreadScopes scopes;

    /**
     * The scope of each thread. Does not refer to the engine: a thread keeps its scope as long as it lives, and must
     * not keep a closed engine alive.
     */
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

    EngineLocks(
            EngineRuntime runtime,
            EngineSettings settings,
            Events events,
            RequestChecks checks,
            GateWalk walk,
            OrderLearner orderLearner,
            StoreOperator operator) {
        this.runtime = runtime;
        this.settings = settings;
        this.events = events;
        this.checks = checks;
        this.walk = walk;
        this.orderLearner = orderLearner;
        this.operator = operator;
        this.scopes = new ThreadScopes(settings.order());
        this.standard = ResolvedSettings.resolve(LockSettings.inherit(), settings.defaults());
    }

    @Override
    public LockRequest<Lease> with(LockKey key) {
        Objects.requireNonNull(key, "key is null: say what to lock");
        return new EngineRequest<>(this, Lease.class, List.of(key));
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
        if (distinct.size() > Protocol.MAX_KEYS_PER_REQUEST) {
            throw new IllegalArgumentException(distinct.size() + " keys in one request, at most "
                    + Protocol.MAX_KEYS_PER_REQUEST + " are allowed: lock something coarser");
        }
        List<LockKey> sorted = distinct.stream().sorted(settings.order()).toList();
        return new EngineRequest<>(this, LeaseSet.class, sorted);
    }

    /** The settings of a request for this first key that sets nothing itself. */
    private ResolvedSettings settingsFor(LockKey key) {
        LockType type = settings.order().typeOf(key).orElse(null);
        return type == null
                ? standard
                : byType.computeIfAbsent(
                        type, declared -> ResolvedSettings.resolve(declared.settings(), settings.defaults()));
    }

    /** The settings of a request for this first key, with the defaults of its lock type and of the engine. */
    ResolvedSettings resolve(LockSettings wanted, LockKey key) {
        if (wanted == LockSettings.inherit()) {
            return settingsFor(key);
        }
        LockSettings typed = settings.order()
                .typeOf(key)
                .map(type -> type.settings().orElse(settings.defaults()))
                .orElse(settings.defaults());
        return ResolvedSettings.resolve(wanted, typed);
    }

    // ---- requests -----------------------------------------------------------------------------------------------

    @Nullable
    LeaseHandle check(RequestChecks.Request request) {
        return checks.check(request);
    }

    Waiter newWaiter(Waiter.Order order) {
        return walk.newWaiter(order);
    }

    void start(Waiter waiter) {
        events.attempted(waiter.claims);
        walk.start(waiter);
    }

    void startAndAwait(Waiter waiter) {
        start(waiter);
        walk.await(waiter);
    }

    /** Runs the stages of asynchronous requests. */
    Executor completions() {
        return runtime.threads().completions();
    }

    // ---- the rest of the API ------------------------------------------------------------------------------------

    @Override
    public Lock asLock(LockKey key) {
        return new ThreadLock(
                with(key).reentrant(),
                key,
                Duration.ofNanos(settingsFor(key).waitAtMostNanos()),
                runtime.environment());
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
        Objects.requireNonNull(executor, "executor is null: pass the one that runs the tasks");
        return task -> {
            EngineScope carried = currentScope();
            executor.execute(() -> carried.run(task::run));
        };
    }

    @Override
    public ExecutorService carryingScope(ExecutorService executor) {
        Objects.requireNonNull(executor, "executor is null: pass the one that runs the tasks");
        return new ScopedExecutor(executor, this);
    }

    @Override
    public Executor delayedExecutor(Duration pause) {
        Objects.requireNonNull(pause, "pause is null: give a Duration");
        if (pause.isNegative() || pause.compareTo(LockSettings.MAX_LEASE) > 0) {
            throw new IllegalArgumentException(
                    "pause is " + pause + ": choose a duration between PT0S and " + LockSettings.MAX_LEASE);
        }
        return task -> runtime.later(pause.toNanos(), runtime.threads().delays(), task);
    }

    @Override
    public LearnedOrder learnedOrder() {
        return orderLearner.learned();
    }

    @Override
    public WaitForGraph waitForGraph() {
        return operator.waitForGraph();
    }

    boolean owns(EngineScope candidate) {
        return candidate.belongsTo(scopes);
    }
}
