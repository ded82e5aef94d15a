package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.HistoryChecker;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentSkipListSet;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.BooleanSupplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * What one case works with: a namespace of its own, workers, keys and time, and at its end the verdict on its history.
 *
 * <p>Used by the case's own thread only.
 */
final class ProcessCase implements AutoCloseable {
    /** What scheduling, heartbeats and the way to the store may add to a lease before a successor has the lock. */
    static final Duration SLACK = Duration.ofSeconds(2);

    /** On a machine with more processes than cores a thread may not run for a while. */
    private static final Duration TOLD_WITHIN = Duration.ofMillis(500);

    private static final Duration EVENT_WITHIN = Duration.ofSeconds(30);
    private static final Duration ASKED_FOR = Duration.ofMillis(50);
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final ProcessTck kit;
    private final Set<LockKey> keys = new ConcurrentSkipListSet<>();
    private @Nullable WorkerSetup setup;
    private @Nullable Workers workers;

    ProcessCase(ProcessTck kit) {
        this.kit = kit;
    }

    ProcessTck kit() {
        return kit;
    }

    Duration lease() {
        return kit.lease();
    }

    /** Longer than any takeover. */
    Duration patience() {
        return lease().multipliedBy(3).plus(SLACK);
    }

    /** Starts the first workers of the case. */
    List<Worker> start(int count) {
        return start(count, how -> how);
    }

    /** Starts the first workers of the case, set up as it wants them. */
    List<Worker> start(int count, UnaryOperator<WorkerSetup> options) {
        setup = options.apply(kit.workers("process-" + UUID.randomUUID()));
        workers = Workers.start(count, setup);
        return workers.all();
    }

    Workers workers() {
        if (workers == null) {
            throw new IllegalStateException("The case has not started any workers.");
        }
        return workers;
    }

    /** A key that the fenced resource keeps. */
    LockKey key(String id) {
        return used(LockKey.of("fenced", id));
    }

    /** A key that the unfenced twin keeps. */
    LockKey unfencedKey(String id) {
        return used(LockKey.of(Ask.UNFENCED, id));
    }

    private LockKey used(LockKey key) {
        keys.add(key);
        return key;
    }

    /** Asks for the key with the case's lease and a patience that outlasts any takeover. */
    Ask ask(LockKey key) {
        return Ask.of(key, lease(), patience());
    }

    /** Asks once. */
    Ask askOnce(LockKey key) {
        return Ask.of(key, lease(), Duration.ZERO);
    }

    /** Lets real time go by: for pauses, whose length is the point. */
    void pass(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits until it holds; it must hold soon. */
    void until(String fact, BooleanSupplier condition) {
        long deadline = System.nanoTime() + EVENT_WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("It did not become true within " + EVENT_WITHIN + " that " + fact + ".");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** The answer to something that a worker was told to begin and that may have to outlast a takeover. */
    <T> T await(Worker worker, CompletableFuture<T> begun) {
        return worker.await(begun, patience().plus(EVENT_WITHIN));
    }

    /** Looks at every key at rest, then judges the history, prints its page and demands that it is clean. */
    Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        Verdict verdict = judge(title, faults);
        verdict.assertClean();
        return verdict;
    }

    /** Looks at every key at rest, then judges the history and prints its page. */
    Verdict judge(String title, UnaryOperator<Expectations> faults) {
        lookAtRest();
        Expectations expected = faults.apply(kit.promises().load(0).toldWithin(TOLD_WITHIN));
        Verdict verdict = new HistoryChecker(expected).check(workers().history());
        System.out.println(title + "\n" + verdict.page());
        for (Worker worker : workers().all()) {
            if (worker.isAlive()) {
                assertThat(worker.progress().errors())
                        .as("undocumented errors of %s:%n%s", worker, worker.errors())
                        .isZero();
            }
        }
        return verdict;
    }

    /** What somebody is told who wants a key that is held, with the name of its holder; empty if it is free. */
    String whoHolds(LockKey key) {
        try (Interlock observer = observer();
                Lease free = observer.locks().with(key).waitAtMost(ASKED_FOR).acquire()) {
            return "";
        } catch (LockTimeoutException busy) {
            return String.valueOf(busy.getMessage());
        }
    }

    private Interlock observer() {
        WorkerSetup how = setup;
        if (how == null) {
            throw new IllegalStateException("The case has not started any workers.");
        }
        return Interlock.over(WorkerSetup.connect(how.backend(), how.address(), how.namespace()));
    }

    private void lookAtRest() {
        Recorder recorder = workers().recorder();
        try (Interlock observer = observer();
                ResourceClient fenced = workers().fenced().connect();
                ResourceClient unfenced = workers().unfenced().connect()) {
            for (LockKey key : keys) {
                lookAtLock(recorder, observer, key);
                ResourceClient resource = Ask.isUnfenced(key.name()) ? unfenced : fenced;
                recorder.finalValue(key.name(), resource.look(key.name()).value());
            }
        }
    }

    private void lookAtLock(Recorder recorder, Interlock observer, LockKey key) {
        try {
            Optional<Lease> lease = observer.locks().tryAcquire(key, patience());
            if (lease.isPresent()) {
                recorder.freeAtRest(key.name());
                lease.get().close();
            } else {
                recorder.heldAtRest(key.name(), 0, 0);
            }
        } catch (StoreUnavailableException e) {
            recorder.unreadableAtRest(key.name());
        }
    }

    @Override
    public void close() {
        if (workers != null) {
            workers.close();
        }
    }
}
