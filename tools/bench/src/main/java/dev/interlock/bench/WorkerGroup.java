package dev.interlock.bench;

import dev.interlock.bench.BenchWorker.Phase;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.SynchronousQueue;
import java.util.concurrent.ThreadPoolExecutor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one process in one turn. They start together and stop when the turn is over.
 *
 * <p>A turn is {@link #begin}, {@link #count} and {@link #end}, called by one thread.
 */
final class WorkerGroup implements BenchWorker.Signals {
    /** Workers that have not stopped this long after the end of a turn are stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private static final int IDLE_SECONDS = 10;

    /**
     * All turns share these threads: starting as many for each turn would take as long as a short turn. Idle threads
     * end after a while, so that ten thousand threads of one workload do not stay for the following ones.
     */
    private static final Executor THREADS = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), WorkerGroup::thread);

    private final String name;
    private final List<BenchWorker> workers;
    private final Executor threads;
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch underWay;
    private final CountDownLatch done;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.GETTING_UNDER_WAY;
    private long countedFrom;
    private @Nullable Allocation allocatedBefore;

    /** One thread per worker, from the shared pool. Messages contain the name. */
    WorkerGroup(String name, List<BenchWorker> workers) {
        this(name, workers, THREADS);
    }

    /** With another pool. */
    WorkerGroup(String name, List<BenchWorker> workers, Executor threads) {
        this.name = name;
        this.workers = workers;
        this.threads = threads;
        this.underWay = new CountDownLatch(
                (int) workers.stream().filter(BenchWorker::isAwaited).count());
        this.done = new CountDownLatch(workers.size());
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "bench-worker");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Starts the threads. Returns when all awaited workers have completed their first operation.
     *
     * @throws BenchException if the system cannot start enough threads, or a worker is stuck
     */
    void begin() throws InterruptedException {
        int started = 0;
        try {
            for (BenchWorker worker : workers) {
                threads.execute(() -> run(worker));
                started++;
            }
        } catch (OutOfMemoryError e) {
            abort(e, started);
            throw new BenchException(name + " could start only " + started + " of its threads", e);
        }
        go.countDown();
        if (!underWay.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
            phase = Phase.OVER;
            throw new BenchException(
                    name + " is stuck: not every thread completed an operation within " + STUCK_AFTER, null);
        }
    }

    /** Lets the started workers stop, although some never started. */
    private void abort(Throwable why, int started) {
        failure.compareAndSet(null, why);
        phase = Phase.OVER;
        for (int missing = started; missing < workers.size(); missing++) {
            done.countDown();
        }
        go.countDown();
    }

    /** Starts to count. */
    void count() {
        allocatedBefore = Allocation.now();
        countedFrom = System.nanoTime();
        if (failure.get() == null) {
            phase = Phase.COUNTING;
        }
    }

    /** Waits for this long, or until a worker fails. */
    void await(Duration length) throws InterruptedException {
        done.await(length.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Stops, waits until all threads have stopped, and returns what they counted.
     *
     * @throws BenchException if a worker failed or is stuck
     */
    ProcessTally end() throws InterruptedException {
        phase = Phase.OVER;
        long nanos = System.nanoTime() - countedFrom;
        boolean stopped = done.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS);
        long allocated = allocatedBefore == null ? 0 : Allocation.now().since(allocatedBefore);
        Throwable why = failure.get();
        if (why != null) {
            throw new BenchException(name + " failed", why);
        }
        if (!stopped) {
            throw new BenchException(name + " did not stop within " + STUCK_AFTER, null);
        }
        return new ProcessTally(
                nanos, allocated, workers.stream().map(BenchWorker::tally).toList());
    }

    private void run(BenchWorker worker) {
        try {
            go.await();
            worker.work(this);
        } catch (Throwable e) {
            failure.compareAndSet(null, e);
            phase = Phase.OVER;
            underWay();
        }
        done.countDown();
    }

    @Override
    public Phase phase() {
        return phase;
    }

    @Override
    public void underWay() {
        underWay.countDown();
    }
}
