package dev.interlock;

import dev.interlock.internal.lock.Engine;
import dev.interlock.internal.lock.EngineSettings;
import dev.interlock.internal.time.SystemSurroundings;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.Locks;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.lock.ShutdownReport;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Surroundings;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Locks over one backend; what an application builds at its start and closes at its end.
 *
 * <pre>{@code
 * try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
 *     try (Lease lease = interlock.locks().acquire(LockKey.of("inventory", "sku-1"))) {
 *         // the lock is held here; send lease.token() along with each write
 *     }
 * }
 * }</pre>
 *
 * <p>It uses a fixed handful of daemon threads, however many locks are held. Thread-safe.
 */
public final class Interlock implements AutoCloseable {
    private final Engine engine;

    private Interlock(Engine engine) {
        this.engine = engine;
    }

    /** Opens locks over this backend, with safe defaults. The backend is closed with it. */
    public static Interlock over(Backend backend) {
        return builder(backend).build();
    }

    /** Opens locks over this backend, with options. */
    public static Builder builder(Backend backend) {
        return new Builder(
                Objects.requireNonNull(backend, "backend is null: give one, for example InMemoryBackend.create()"));
    }

    /** What an application calls to acquire. */
    public Locks locks() {
        return engine.locks();
    }

    /** What an operator may do. */
    public LockOperator operator() {
        return engine.operator();
    }

    /**
     * Ends everything: waits are withdrawn with {@link dev.interlock.lock.InterlockClosedException}, leases that are held are
     * released, and the backend is closed. A second call gives the first one's report.
     *
     * @param budget how long to wait for the store
     * @return what was released and what could not be; the latter ends by its lease
     */
    public ShutdownReport shutdown(Duration budget) {
        Objects.requireNonNull(budget, "budget is null: give a Duration");
        if (budget.isNegative() || budget.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("budget is " + budget + ": choose a duration between PT0S and PT1H");
        }
        return engine.shutdown(budget);
    }

    /** Like {@link #shutdown} with a budget of 5 s; what could not be released is logged. */
    @Override
    public void close() {
        engine.shutdown(Duration.ofSeconds(5));
    }

    /** The options of an {@link Interlock}; every one has a default that is safe. */
    public static final class Builder {
        private final Backend backend;
        private EngineSettings settings = EngineSettings.standard();
        private @Nullable Surroundings surroundings;

        private Builder(Backend backend) {
            this.backend = backend;
        }

        /** What this process calls itself in snapshots and messages; by default its host name and process id. */
        public Builder name(String processName) {
            settings = settings.withName(processName);
            return this;
        }

        /** How long to wait and to hold where neither request nor lock type says so. */
        public Builder defaults(LockSettings defaults) {
            settings = settings.withDefaults(Objects.requireNonNull(
                    defaults, "defaults is null: give settings, for example LockSettings.inherit()"));
            return this;
        }

        /** The lock types and their order. All processes that share a namespace must agree on it. */
        public Builder order(LockOrder order) {
            settings = settings.withOrder(
                    Objects.requireNonNull(order, "order is null: give one, for example LockOrder.none()"));
            return this;
        }

        /** What happens to a nested acquisition against the order; refused by default. */
        public Builder orderPolicy(OrderPolicy policy) {
            settings = settings.withOrderPolicy(
                    Objects.requireNonNull(policy, "policy is null: choose REFUSE, WARN or ALLOW"));
            return this;
        }

        /** How waits that last are watched for deadlocks across processes; by default each that has lasted a second. */
        public Builder deadlockDetection(DeadlockDetection detection) {
            settings = settings.withDeadlocks(Objects.requireNonNull(
                    detection, "detection is null: give one, for example DeadlockDetection.off()"));
            return this;
        }

        /** Hears what happens to locks; several may be added. */
        public Builder listener(LockListener listener) {
            settings = settings.withListener(
                    Objects.requireNonNull(listener, "listener is null: leave it out to have none"));
            return this;
        }

        /** How often the place of an acquisition is remembered for the leak guard; one in 128 by default. */
        public Builder leakTracing(LeakTracing tracing) {
            settings = settings.withLeakTracing(
                    Objects.requireNonNull(tracing, "tracing is null: choose SAMPLED, ALWAYS or OFF"));
            return this;
        }

        /**
         * Threads of this process get a lock strictly in the order in which they asked. By default a thread that is already
         * running may overtake the one that is being woken up, at most 16 times each, which passes a lock on several times
         * as fast.
         */
        public Builder strictFifo() {
            settings = settings.withStrictFifo(true);
            return this;
        }

        /** How long to wait for one answer of the store before it counts as lost; 2 s by default. */
        public Builder answerWithin(Duration limit) {
            settings = settings.withAnswerWithin(limit);
            return this;
        }

        /** How long {@code release} and {@code close} of a lease wait for the answer; 2 s by default. */
        public Builder releaseWithin(Duration limit) {
            settings = settings.withReleaseWithin(limit);
            return this;
        }

        /** Leaves the backend open when this Interlock is closed, for backends that several share. */
        public Builder keepBackendOpen() {
            settings = settings.withBackendKeptOpen(true);
            return this;
        }

        /** Replaces time, threads and randomness, for tests. */
        public Builder surroundings(Surroundings replacement) {
            surroundings = Objects.requireNonNull(replacement, "surroundings is null: leave it out for the real ones");
            return this;
        }

        /**
         * Opens it. Agrees with the store on protocol version and lock order; if the store cannot be reached that is made
         * up for before the first lock is granted.
         *
         * @throws dev.interlock.lock.LockRefusedException if other processes of the namespace use another order, or a protocol
         *     version that this one does not know
         */
        public Interlock build() {
            Surroundings given = surroundings;
            return new Interlock(
                    given != null ? Engine.open(backend, settings, given, () -> {}) : open(new SystemSurroundings()));
        }

        private Engine open(SystemSurroundings own) {
            return Engine.open(backend, settings, own, own::close);
        }
    }
}
