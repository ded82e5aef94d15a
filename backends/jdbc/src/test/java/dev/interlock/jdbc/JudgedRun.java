package dev.interlock.jdbc;

import static dev.interlock.jdbc.FaultRun.PATIENCE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.HistoryChecker;
import dev.interlock.testkit.history.Invariant;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.workers.Ask;
import dev.interlock.testkit.workers.ResourceClient;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workers;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Deque;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentSkipListSet;
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
final class JudgedRun implements AfterEachCallback, AutoCloseable {
    private static final Duration TOLD_WITHIN = Duration.ofMillis(500);

    private final Supplier<Backend> store;
    private final WorkerSetup setup;
    private final Set<LockKey> keys = new ConcurrentSkipListSet<>();
    private final Deque<FaultClient> clients = new ArrayDeque<>();
    private @Nullable Workers workers;

    /** All clients are in the test's own JVM. */
    JudgedRun(Supplier<Backend> store) {
        this(store, WorkerSetup.of(JdbcForWorkers.class, "", ""));
    }

    /** With worker processes that are set up like this. */
    JudgedRun(Supplier<Backend> store, WorkerSetup setup) {
        this.store = store;
        this.setup = setup;
    }

    Workers workers() {
        Workers started = workers;
        if (started == null) {
            started = Workers.start(0, setup);
            workers = started;
        }
        return started;
    }

    Recorder recorder() {
        return workers().recorder();
    }

    FaultClient client(String name) {
        return client(name, store.get(), options -> options);
    }

    FaultClient client(String name, Backend backend, UnaryOperator<Interlock.Builder> options) {
        Interlock interlock =
                options.apply(Interlock.builder(backend).name(name)).build();
        FaultClient client = new FaultClient(name, interlock, workers());
        clients.push(client);
        return client;
    }

    /** A key that the fenced resource keeps. */
    LockKey key(String id) {
        LockKey key = LockKey.of("fenced", id);
        keys.add(key);
        return key;
    }

    /** A key that the unfenced twin keeps. */
    LockKey unfencedKey(String id) {
        LockKey key = LockKey.of(Ask.UNFENCED, id);
        keys.add(key);
        return key;
    }

    /** Demands a clean history with these kinds of faults, all of which acted. */
    Verdict assertClean(String title, String... faults) {
        return assertClean(title, expected -> expected.injecting(faults));
    }

    /** Looks at every key at rest, judges the history, prints its figures and demands that nothing is broken. */
    Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
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
                Optional<Lease> lease = observer.locks().tryAcquire(key, PATIENCE);
                if (lease.isPresent()) {
                    recorder().freeAtRest(key.name());
                    lease.get().close();
                } else {
                    recorder().heldAtRest(key.name(), 0, 0);
                }
                ResourceClient resource = FaultClient.isUnfenced(key) ? unfenced : fenced;
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
}
