package dev.interlock.bench;

import dev.interlock.bench.Worker.Phase;
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
 * The threads of one process in one turn: they begin together, and stop when the turn is over.
 *
 * <p>A turn is {@link #begin}, {@link #count} and {@link #end}, called by one thread.
 */
final class Crew implements Worker.Signals {
    /** Workers that have not stopped so long after they were told to are stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private static final int IDLE_SECONDS = 10;

    /**
     * Everyone's turns have the same threads: to start and end as many each time would take as long as a short turn. Those that nobody needs any more end
     * after a while, or ten thousand of one workload would stand by in all that follow.
     */
    private static final Executor THREADS = new ThreadPoolExecutor(
            0, Integer.MAX_VALUE, IDLE_SECONDS, TimeUnit.SECONDS, new SynchronousQueue<>(), Crew::thread);

    private final String name;
    private final List<Worker> workers;
    private final Executor threads;
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch underWay;
    private final CountDownLatch done;
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.GETTING_UNDER_WAY;
    private long countedFrom;
    private @Nullable Allocation allocatedBefore;

    /** One thread for each worker, of those that wait for the next turn of anybody; the name stands in messages. */
    Crew(String name, List<Worker> workers) {
        this(name, workers, THREADS);
    }

    /** With threads from elsewhere. */
    Crew(String name, List<Worker> workers, Executor threads) {
        this.name = name;
        this.workers = workers;
        this.threads = threads;
        this.underWay = new CountDownLatch(
                (int) workers.stream().filter(Worker::isAwaited).count());
        this.done = new CountDownLatch(workers.size());
    }

    private static Thread thread(Runnable task) {
        Thread thread = new Thread(task, "bench-worker");
        thread.setDaemon(true);
        return thread;
    }

    /**
     * Starts the threads, and returns when each of them is under way who is awaited.
     *
     * @throws BenchException if the system has no more threads to give, or one of them is stuck
     */
    void begin() throws InterruptedException {
        int started = 0;
        try {
            for (Worker worker : workers) {
                threads.execute(() -> run(worker));
                started++;
            }
        } catch (OutOfMemoryError e) {
            disband(e, started);
            throw new BenchException(name + " could start only " + started + " of its threads", e);
        }
        go.countDown();
        if (!underWay.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
            phase = Phase.OVER;
            throw new BenchException(name + " is stuck: not every thread had its turn within " + STUCK_AFTER, null);
        }
    }

    /** Lets those go who wait for the ones that never came. */
    private void disband(Throwable why, int started) {
        failure.compareAndSet(null, why);
        phase = Phase.OVER;
        for (int missing = started; missing < workers.size(); missing++) {
            done.countDown();
        }
        go.countDown();
    }

    /** From now on it is counted. */
    void count() {
        allocatedBefore = Allocation.now();
        countedFrom = System.nanoTime();
        if (failure.get() == null) {
            phase = Phase.COUNTING;
        }
    }

    /** Lets so much time pass, or less if a worker fails. */
    void await(Duration length) throws InterruptedException {
        done.await(length.toNanos(), TimeUnit.NANOSECONDS);
    }

    /**
     * Stops, waits until all threads have stopped, and tells what they counted.
     *
     * @throws BenchException if one of them failed or is stuck
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
                nanos, allocated, workers.stream().map(Worker::tally).toList());
    }

    private void run(Worker worker) {
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
