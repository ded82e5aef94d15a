package dev.interlock.testkit.checked;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.HistoryChecker;
import dev.interlock.testkit.history.Invariant;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.ResourceClient;
import dev.interlock.testkit.workers.WorkerBackend;
import dev.interlock.testkit.workers.WorkerRequest;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A run whose history is checked, on any store: clients that record what they do, a fenced resource with its unfenced
 * twin, and at the end an inspection of every key and the verdict.
 *
 * <p>As an extension it begins when a test first uses it and ends with the test. Used by the test's own thread; clients
 * have threads of their own.
 *
 * @since 0.1.0
 */
public final class CheckedRun implements AfterEachCallback, AutoCloseable {
    /** The usual lease. With a shorter one, a busy machine looks like a fault. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    /** The time that scheduling, heartbeats and reconnecting may add on a busy machine. */
    public static final Duration SLACK = Duration.ofSeconds(2);

    /** Longer than any takeover and any reconnect. */
    public static final Duration PATIENCE = LEASE.multipliedBy(3).plus(SLACK);

    private static final Duration NOTIFIED_WITHIN = Duration.ofMillis(500);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Supplier<Backend> store;
    private final WorkerSetup setup;
    private final Expectations promises;
    private final Set<LockKey> keys = new ConcurrentSkipListSet<>();
    private final Deque<CheckedClient> clients = new ArrayDeque<>();
    private @Nullable Workers workers;

    /** A run whose clients are all in the test's own JVM. */
    public CheckedRun(Supplier<Backend> store) {
        this(store, WorkerSetup.of(NoWorkers.class, "", ""));
    }

    /** A run with worker processes. */
    public CheckedRun(Supplier<Backend> store, WorkerSetup setup) {
        this(store, setup, Expectations.strict());
    }

    /** A run with worker processes, on a store that promises this. */
    public CheckedRun(Supplier<Backend> store, WorkerSetup setup, Expectations promises) {
        this.store = store;
        this.setup = setup;
        this.promises = promises;
    }

    /** Returns the worker processes, the resource and its twin. The first call starts them. */
    public Workers workers() {
        Workers started = workers;
        if (started == null) {
            started = Workers.start(0, setup);
            workers = started;
        }
        return started;
    }

    /** Returns the recorder of the test's own actions. */
    public Recorder recorder() {
        return workers().recorder();
    }

    /** Opens a client with a connection of its own to the store. */
    public CheckedClient client(String name) {
        return client(name, store.get(), options -> options);
    }

    /** Opens a client with this backend and these options. Both are closed with the run. */
    public CheckedClient client(String name, Backend backend, UnaryOperator<Interlock.Builder> options) {
        Interlock interlock =
                options.apply(Interlock.builder(backend).name(name)).build();
        CheckedClient client = new CheckedClient(name, interlock, workers());
        clients.push(client);
        return client;
    }

    // ---- faults and time ----------------------------------------------------------------------------------------

    /**
     * A fault of a proxy, recorded in the history.
     *
     * @param fault the fault
     * @param recorded its entry in the history
     */
    public record Injected(Fault fault, RecordedFault recorded) implements AutoCloseable {
        /** Waits until the fault has acted. */
        public Injected awaitActed() {
            fault.awaitActed(PATIENCE);
            return this;
        }

        /** Ends the fault and records whether it had acted. */
        @Override
        public void close() {
            if (fault.acted() > 0) {
                recorded.acted();
            }
            fault.heal();
            recorded.stopped();
        }
    }

    /** Injects a fault of this kind, until it is closed. */
    public Injected inject(String kind, Supplier<Fault> fault) {
        RecordedFault recorded = recorder().faultStarted(kind);
        return new Injected(fault.get(), recorded);
    }

    /** Does something to connections at once; it must hit at least one. */
    public void strike(String kind, Supplier<Integer> action) {
        RecordedFault recorded = recorder().faultStarted(kind);
        assertThat(action.get()).as("connections hit by %s", kind).isPositive();
        recorded.acted();
        recorded.stopped();
    }

    /** Waits for this time. Only for waits whose length matters. */
    public static void pass(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits until the condition holds; fails if it does not hold within {@link #PATIENCE}. */
    public static void until(String fact, BooleanSupplier condition) {
        until(fact, PATIENCE, condition);
    }

    /** Waits until the condition holds; fails if it does not hold within this time. */
    public static void until(String fact, Duration within, BooleanSupplier condition) {
        long deadline = System.nanoTime() + within.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("Not true within " + within + ": " + fact + ".");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Returns how long the work took. */
    public static Duration timed(Runnable work) {
        long began = System.nanoTime();
        work.run();
        return Duration.ofNanos(System.nanoTime() - began);
    }

    // ---- keys and the verdict -----------------------------------------------------------------------------------

    /** A key that the fenced resource keeps. */
    public LockKey key(String id) {
        LockKey key = LockKey.of("fenced", id);
        keys.add(key);
        return key;
    }

    /** A key that the unfenced twin keeps. */
    public LockKey unfencedKey(String id) {
        LockKey key = LockKey.of(WorkerRequest.UNFENCED, id);
        keys.add(key);
        return key;
    }

    /** Asserts a clean history with these kinds of faults, all of which acted. */
    public Verdict assertClean(String title, String... faults) {
        return assertClean(title, expected -> expected.injecting(faults));
    }

    /** Inspects every key, checks the history, prints its figures and asserts that no promise was broken. */
    public Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        inspectKeys();
        Expectations expected =
                faults.apply(promises.load(0).notifiedWithin(NOTIFIED_WITHIN).grantedWithin(PATIENCE));
        Verdict verdict = new HistoryChecker(expected).check(workers().history());
        System.out.println(title + ": " + figures(verdict));
        verdict.assertClean();
        assertZero(verdict);
        return verdict;
    }

    private static void assertZero(Verdict verdict) {
        assertThat(verdict.figure(Figure.STALE_ACCEPTED))
                .as("stale writes accepted")
                .isZero();
        assertThat(verdict.figure(Figure.LOST_UPDATES)).as("lost updates").isZero();
        assertThat(verdict.count(Invariant.H1_FENCE_ORDER))
                .as("token violations")
                .isZero();
        assertThat(verdict.count(Invariant.H6_NO_LATE_GRANT)).as("late grants").isZero();
        assertThat(verdict.count(Invariant.H5_OWNERSHIP))
                .as("foreign releases and renewals")
                .isZero();
    }

    private static String figures(Verdict verdict) {
        return verdict.outcome() + ", grants " + verdict.figure(Figure.GRANTS)
                + ", faults acted " + verdict.figure(Figure.FAULTS_ACTED)
                + ", stale refused " + verdict.figure(Figure.STALE_REFUSED)
                + ", stale accepted " + verdict.figure(Figure.STALE_ACCEPTED)
                + ", lost updates " + verdict.figure(Figure.LOST_UPDATES)
                + ", token violations " + verdict.count(Invariant.H1_FENCE_ORDER)
                + ", late grants " + verdict.count(Invariant.H6_NO_LATE_GRANT)
                + ", foreign releases " + verdict.count(Invariant.H5_OWNERSHIP)
                + "; unfenced twin: stale accepted " + verdict.figure(Figure.CONTROL_STALE_ACCEPTED)
                + ", lost updates " + verdict.figure(Figure.CONTROL_LOST_UPDATES);
    }

    private void inspectKeys() {
        try (Interlock observer = Interlock.over(store.get());
                ResourceClient fenced = workers().fenced().connect();
                ResourceClient unfenced = workers().unfenced().connect()) {
            for (LockKey key : keys) {
                boolean free = observer.locks()
                        .with(key)
                        .tryRun(PATIENCE, lease -> recorder().freeAtRest(key.name()));
                if (!free) {
                    recorder().heldAtRest(key.name(), 0, 0);
                }
                ResourceClient resource = CheckedClient.isUnfenced(key) ? unfenced : fenced;
                recorder().finalValue(key.name(), resource.inspect(key.name()).value());
            }
        }
    }

    @Override
    public void afterEach(ExtensionContext context) {
        close();
    }

    @Override
    public void close() {
        while (!clients.isEmpty()) {
            clients.pop().close();
        }
        keys.clear();
        if (workers != null) {
            workers.close();
            workers = null;
        }
    }

    /** For runs whose clients are all in the test's own JVM. */
    private static final class NoWorkers implements WorkerBackend {
        @Override
        public Backend connect(String address, String namespace) {
            throw new IllegalStateException("This run has no worker processes: pass a WorkerSetup to its constructor");
        }
    }
}
