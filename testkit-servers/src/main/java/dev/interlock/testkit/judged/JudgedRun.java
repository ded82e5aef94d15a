package dev.interlock.testkit.judged;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.HistoryChecker;
import dev.interlock.testkit.history.Invariant;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.Ask;
import dev.interlock.testkit.workers.ResourceClient;
import dev.interlock.testkit.workers.WorkerBackend;
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
 * A run whose history is judged, wherever its locks live: clients that write down what they do, a fenced resource with its unfenced twin,
 * and at the end a look at every key at rest and the verdict.
 *
 * <p>As an extension it begins when a test first uses it and ends with the test. Used by the test's own thread; clients have threads of
 * their own.
 */
public final class JudgedRun implements AfterEachCallback, AutoCloseable {
    /** Shorter than this, a busy machine is taken for a fault. */
    public static final Duration LEASE = Duration.ofSeconds(3);

    /** What scheduling, heartbeats and reconnecting may add on a busy machine. */
    public static final Duration SLACK = Duration.ofSeconds(2);

    /** Outlasts any takeover and any reconnecting. */
    public static final Duration PATIENCE = LEASE.multipliedBy(3).plus(SLACK);

    private static final Duration TOLD_WITHIN = Duration.ofMillis(500);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final Supplier<Backend> store;
    private final WorkerSetup setup;
    private final Set<LockKey> keys = new ConcurrentSkipListSet<>();
    private final Deque<JudgedClient> clients = new ArrayDeque<>();
    private @Nullable Workers workers;

    /** All clients are in the test's own JVM. */
    public JudgedRun(Supplier<Backend> store) {
        this(store, WorkerSetup.of(NoWorkers.class, "", ""));
    }

    /** With worker processes that are set up like this. */
    public JudgedRun(Supplier<Backend> store, WorkerSetup setup) {
        this.store = store;
        this.setup = setup;
    }

    /** The worker processes, the resource and its twin; started when first asked for. */
    public Workers workers() {
        Workers started = workers;
        if (started == null) {
            started = Workers.start(0, setup);
            workers = started;
        }
        return started;
    }

    /** Where the test itself writes down what it does. */
    public Recorder recorder() {
        return workers().recorder();
    }

    /** A client with a store of its own. */
    public JudgedClient client(String name) {
        return client(name, store.get(), options -> options);
    }

    /** A client with this store, set up differently; both end with the run. */
    public JudgedClient client(String name, Backend backend, UnaryOperator<Interlock.Builder> options) {
        Interlock interlock =
                options.apply(Interlock.builder(backend).name(name)).build();
        JudgedClient client = new JudgedClient(name, interlock, workers());
        clients.push(client);
        return client;
    }

    // ---- faults and time ----------------------------------------------------------------------------------------

    /**
     * A fault of a proxy that is on record in the history.
     *
     * @param fault the fault
     * @param noted the same on record
     */
    public record Injected(Fault fault, dev.interlock.testkit.history.Fault noted) implements AutoCloseable {
        /** Waits until it has acted. */
        public Injected awaitActed() {
            fault.awaitActed(PATIENCE);
            return this;
        }

        /** Ends it, and says on record whether it had acted. */
        @Override
        public void close() {
            if (fault.acted() > 0) {
                noted.acted();
            }
            fault.heal();
            noted.stopped();
        }
    }

    /** Makes a fault of this kind, until it is closed. */
    public Injected inject(String kind, Supplier<Fault> fault) {
        dev.interlock.testkit.history.Fault noted = recorder().faultStarted(kind);
        return new Injected(fault.get(), noted);
    }

    /** Something that is done at once to connections; it must hit some. */
    public void strike(String kind, Supplier<Integer> action) {
        dev.interlock.testkit.history.Fault noted = recorder().faultStarted(kind);
        assertThat(action.get()).as("connections hit by %s", kind).isPositive();
        noted.acted();
        noted.stopped();
    }

    /** Lets real time go by, where its length is the point. */
    public static void pass(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits until it holds; it must hold soon. */
    public static void until(String fact, BooleanSupplier condition) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("It did not become true within " + PATIENCE + " that " + fact + ".");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** How long it took. */
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
        LockKey key = LockKey.of(Ask.UNFENCED, id);
        keys.add(key);
        return key;
    }

    /** Demands a clean history with these kinds of faults, all of which acted. */
    public Verdict assertClean(String title, String... faults) {
        return assertClean(title, expected -> expected.injecting(faults));
    }

    /** Looks at every key at rest, judges the history, prints its figures and demands that nothing is broken. */
    public Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        lookAtRest();
        Expectations expected = faults.apply(
                Expectations.strict().load(0).toldWithin(TOLD_WITHIN).grantedWithin(PATIENCE));
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

    private void lookAtRest() {
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
                ResourceClient resource = JudgedClient.isUnfenced(key) ? unfenced : fenced;
                recorder().finalValue(key.name(), resource.look(key.name()).value());
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

    /** Where all clients are in the test's own JVM. */
    private static final class NoWorkers implements WorkerBackend {
        @Override
        public Backend connect(String address, String namespace) {
            throw new IllegalStateException("This run has no worker processes: give it their set-up");
        }
    }
}
