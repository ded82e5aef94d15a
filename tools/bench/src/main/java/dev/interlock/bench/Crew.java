package dev.interlock.bench;

import dev.interlock.bench.Worker.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ThreadFactory;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.jspecify.annotations.Nullable;

/**
 * The threads of one process in one turn: they begin together, and leave only when what they allocated has been read.
 *
 * <p>A turn is {@link #begin}, {@link #count} and {@link #end}, called by one thread.
 */
final class Crew implements Worker.Signals {
    /** Workers that have not stopped so long after they were told to are stuck. */
    static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private final String name;
    private final List<Worker> workers;
    private final ThreadFactory factory;
    private final List<Thread> threads = new ArrayList<>();
    private final CountDownLatch go = new CountDownLatch(1);
    private final CountDownLatch underWay;
    private final CountDownLatch done;
    private final CountDownLatch leave = new CountDownLatch(1);
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private volatile Phase phase = Phase.GETTING_UNDER_WAY;
    private long countedFrom;
    private long allocatedBefore;

    /** One thread for each worker; the name stands in messages. */
    Crew(String name, List<Worker> workers) {
        this(name, workers, Thread::new);
    }

    /** With threads from elsewhere. */
    Crew(String name, List<Worker> workers, ThreadFactory factory) {
        this.name = name;
        this.workers = workers;
        this.factory = factory;
        this.underWay = new CountDownLatch(workers.size());
        this.done = new CountDownLatch(workers.size());
    }

    /**
     * Starts the threads, and returns when each of them is under way.
     *
     * @throws BenchException if the system has no more threads to give, or one of them is stuck
     */
    void begin() throws InterruptedException {
        try {
            workers.forEach(this::start);
        } catch (OutOfMemoryError e) {
            disband(e);
            throw new BenchException(name + " could start only " + threads.size() + " of its threads", e);
        }
        go.countDown();
        if (!underWay.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
            phase = Phase.OVER;
            leave.countDown();
            throw new BenchException(name + " is stuck: not every thread had its turn within " + STUCK_AFTER, null);
        }
    }

    private void start(Worker worker) {
        Thread thread = factory.newThread(() -> run(worker));
        thread.setName("bench-worker");
        thread.setDaemon(true);
        thread.start();
        threads.add(thread);
    }

    /** Lets those go who wait for the ones that never came. */
    private void disband(Throwable why) {
        failure.compareAndSet(null, why);
        phase = Phase.OVER;
        for (int missing = threads.size(); missing < workers.size(); missing++) {
            done.countDown();
        }
        go.countDown();
        leave.countDown();
    }

    /** From now on it is counted. */
    void count() {
        allocatedBefore = Allocation.bytes();
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
     * Stops, waits until all threads have ended, and tells what they counted.
     *
     * @throws BenchException if one of them failed or is stuck
     */
    ProcessTally end() throws InterruptedException {
        phase = Phase.OVER;
        long nanos = System.nanoTime() - countedFrom;
        boolean stopped = done.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS);
        long allocated = Allocation.bytes() - allocatedBefore;
        leave.countDown();
        Throwable why = failure.get();
        if (why != null) {
            throw new BenchException(name + " failed", why);
        }
        if (!stopped) {
            throw new BenchException(name + " did not stop within " + STUCK_AFTER, null);
        }
        // Threads that end later would take what they allocated out of the next turn's figure.
        for (Thread thread : threads) {
            thread.join(STUCK_AFTER.toMillis());
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
        try {
            leave.await();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
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
