package dev.interlock;

import dev.interlock.internal.lock.Engine;
import dev.interlock.internal.lock.EngineSettings;
import dev.interlock.internal.runtime.SystemEnvironment;
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
import dev.interlock.spi.Environment;
import java.time.Duration;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * Locks over one backend. An application creates it at start and closes it at the end.
 *
 * <pre>{@code
 * try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
 *     try (Lease lease = interlock.locks().acquire(LockKey.of("inventory", "sku-1"))) {
 *         // the lock is held here; send lease.token() along with each write
 *     }
 * }
 * }</pre>
 *
 * <p>It uses a small, fixed number of daemon threads, however many locks are held. Thread-safe.
 *
 * @since 0.1.0
 */
public final class Interlock implements AutoCloseable {
    private final Engine engine;

    private Interlock(Engine engine) {
        this.engine = engine;
    }

    /** Opens locks over this backend with safe defaults. Closing the Interlock closes the backend. */
    public static Interlock over(Backend backend) {
        return builder(backend).build();
    }

    /** Opens locks over this backend, with options. */
    public static Builder builder(Backend backend) {
        return new Builder(
                Objects.requireNonNull(backend, "backend is null: pass one, for example InMemoryBackend.create()"));
    }

    /** The locks. */
    public Locks locks() {
        return engine.locks();
    }

    /** The operator functions: inspect locks, and release them by force. */
    public LockOperator operator() {
        return engine.operator();
    }

    /**
     * Closes everything: waits end with {@link dev.interlock.lock.InterlockClosedException}, held leases are
     * released, and the backend is closed. A second call returns the report of the first.
     *
     * @param budget how long to wait for the store
     * @return which locks were released and which could not be; the latter expire with their leases
     */
    public ShutdownReport shutdown(Duration budget) {
        Objects.requireNonNull(budget, "budget is null: give a Duration");
        if (budget.isNegative() || budget.compareTo(Duration.ofHours(1)) > 0) {
            throw new IllegalArgumentException("budget is " + budget + ": choose a duration between PT0S and PT1H");
        }
        return engine.shutdown(budget);
    }

    /** Like {@link #shutdown} with a budget of 5 s. Locks that could not be released are logged. */
    @Override
    public void close() {
        engine.shutdown(Duration.ofSeconds(5));
    }

    /** The options of an {@link Interlock}. Every option has a safe default. */
    public static final class Builder {
        private final Backend backend;
        private EngineSettings settings = EngineSettings.standard();
        private @Nullable Environment environment;

        private Builder(Backend backend) {
            this.backend = backend;
        }

        /** The name of this process in snapshots and messages. By default the host name and the process id. */
        public Builder name(String processName) {
            settings = settings.withName(processName);
            return this;
        }

        /** The settings of requests for which neither request nor lock type sets a value. */
        public Builder defaults(LockSettings defaults) {
            settings = settings.withDefaults(Objects.requireNonNull(
                    defaults, "defaults is null: give settings, for example LockSettings.inherit()"));
            return this;
        }

        /** The lock types and their order. All processes of a namespace must agree on the order. */
        public Builder order(LockOrder order) {
            settings = settings.withOrder(
                    Objects.requireNonNull(order, "order is null: give one, for example LockOrder.none()"));
            return this;
        }

        /** What happens to a nested acquisition against the order. By default it is refused. */
        public Builder orderPolicy(OrderPolicy policy) {
            settings = settings.withOrderPolicy(
                    Objects.requireNonNull(policy, "policy is null: choose REFUSE, WARN or ALLOW"));
            return this;
        }

        /** How deadlocks across processes are searched for. By default among all waits that have lasted a second. */
        public Builder deadlockDetection(DeadlockDetection detection) {
            settings = settings.withDeadlocks(Objects.requireNonNull(
                    detection, "detection is null: give one, for example DeadlockDetection.off()"));
            return this;
        }

        /** Adds a listener for lock events. */
        public Builder listener(LockListener listener) {
            settings = settings.withListener(
                    Objects.requireNonNull(listener, "listener is null: leave it out to have none"));
            return this;
        }

        /** How often the stack of an acquisition is recorded for leak reports. By default one in 128. */
        public Builder leakTracing(LeakTracing tracing) {
            settings = settings.withLeakTracing(
                    Objects.requireNonNull(tracing, "tracing is null: choose SAMPLED, ALWAYS or OFF"));
            return this;
        }

        /**
         * Turns barging off: threads of this process get a lock strictly in the order in which they asked. By default
         * a running thread may take a lock before a woken waiter does, at most 16 times per waiter. This makes local
         * hand-overs several times as fast.
         */
        public Builder strictFifo() {
            settings = settings.withStrictFifo(true);
            return this;
        }

        /** After this time an answer of the store counts as lost. By default 2 s. */
        public Builder answerWithin(Duration limit) {
            settings = settings.withAnswerWithin(limit);
            return this;
        }

        /** How long {@code release} and {@code close} of a lease wait for the answer. By default 2 s. */
        public Builder releaseWithin(Duration limit) {
            settings = settings.withReleaseWithin(limit);
            return this;
        }

        /** Leaves the backend open when this Interlock is closed, for a backend that several Interlocks share. */
        public Builder keepBackendOpen() {
            settings = settings.withBackendKeptOpen(true);
            return this;
        }

        /** Replaces clock, threads and randomness, for tests. */
        public Builder environment(Environment replacement) {
            environment = Objects.requireNonNull(replacement, "environment is null: leave it out to use the real one");
            return this;
        }

        /**
         * Opens the Interlock and joins the namespace with its protocol version and lock order. If the store cannot
         * be reached, the process joins before its first lock is granted.
         *
         * @throws dev.interlock.lock.LockRefusedException if other processes of the namespace use another order, or a
         *     protocol version that is unknown to this one
         */
        public Interlock build() {
            Environment given = environment;
            return new Interlock(
                    given != null ? Engine.open(backend, settings, given, () -> {}) : open(new SystemEnvironment()));
        }

        private Engine open(SystemEnvironment own) {
            return Engine.open(backend, settings, own, own::close);
        }
    }
}
