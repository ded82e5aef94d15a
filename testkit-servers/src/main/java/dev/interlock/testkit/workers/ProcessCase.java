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
 * The environment of one case: a namespace of its own, workers, keys and time, and at its end the verdict on its
 * history.
 *
 * <p>Used by the case's own thread only.
 */
final class ProcessCase implements AutoCloseable {
    /** What scheduling, heartbeats and the network may add to a lease before a successor has the lock. */
    static final Duration SLACK = Duration.ofSeconds(2);

    /** On a machine with more processes than cores, a thread may not run for a while. */
    private static final Duration NOTIFIED_WITHIN = Duration.ofMillis(500);

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

    /** Starts the first workers of the case with options. */
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
        return used(LockKey.of(WorkerRequest.UNFENCED, id));
    }

    private LockKey used(LockKey key) {
        keys.add(key);
        return key;
    }

    /** Requests the key with the case's lease and a patience that is longer than any takeover. */
    WorkerRequest ask(LockKey key) {
        return WorkerRequest.of(key, lease(), patience());
    }

    /** Requests the key without patience. */
    WorkerRequest askOnce(LockKey key) {
        return WorkerRequest.of(key, lease(), Duration.ZERO);
    }

    /** Waits for this time. Only for pauses whose length matters. */
    void pass(Duration length) {
        long end = System.nanoTime() + length.toNanos();
        for (long left = length.toNanos(); left > 0; left = end - System.nanoTime()) {
            LockSupport.parkNanos(left);
        }
    }

    /** Waits until the condition holds; fails if it does not hold soon. */
    void until(String fact, BooleanSupplier condition) {
        long deadline = System.nanoTime() + EVENT_WITHIN.toNanos();
        while (!condition.getAsBoolean()) {
            if (System.nanoTime() > deadline) {
                throw new AssertionError("Not true within " + EVENT_WITHIN + ": " + fact + ".");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    /** Waits for the result of a worker's command, longer than any takeover. */
    <T> T await(Worker worker, CompletableFuture<T> begun) {
        return worker.await(begun, patience().plus(EVENT_WITHIN));
    }

    /** Inspects every key, checks the history, prints its page and asserts that it is clean. */
    Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        Verdict verdict = check(title, faults);
        verdict.assertClean();
        return verdict;
    }

    /** Inspects every key, checks the history and prints its page. */
    Verdict check(String title, UnaryOperator<Expectations> faults) {
        inspectKeys();
        Expectations expected = faults.apply(kit.promises().load(0).notifiedWithin(NOTIFIED_WITHIN));
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

    /**
     * Returns the message of the timeout of a request for this key, which names the holder; empty if the key is free.
     */
    String describeHolder(LockKey key) {
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

    private void inspectKeys() {
        Recorder recorder = workers().recorder();
        try (Interlock observer = observer();
                ResourceClient fenced = workers().fenced().connect();
                ResourceClient unfenced = workers().unfenced().connect()) {
            for (LockKey key : keys) {
                inspectLock(recorder, observer, key);
                ResourceClient resource = WorkerRequest.isUnfenced(key.name()) ? unfenced : fenced;
                recorder.finalValue(key.name(), resource.inspect(key.name()).value());
            }
        }
    }

    private void inspectLock(Recorder recorder, Interlock observer, LockKey key) {
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
