package dev.interlock.bench;

import dev.interlock.bench.BenchWorker.Phase;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/** The turns of one contender at a {@link ThreadedWorkload}. */
final class ThreadedBout implements Workload.Bout {
    /** Workers that have not stopped so long after they were told to are stuck. */
    private static final Duration STUCK_AFTER = Duration.ofSeconds(60);

    private final String name;
    private final Locking locking;
    private final PlainCounters counters;
    private final List<BenchWorker> workers;

    ThreadedBout(String name, Locking locking, PlainCounters counters, List<BenchWorker> workers) {
        this.name = name;
        this.locking = locking;
        this.counters = counters;
        this.workers = workers;
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        counters.reset();
        Turn turn = new Turn();
        turn.start();
        long allocatedBefore = Allocation.bytes();
        long began = System.nanoTime();
        turn.phase = Phase.COUNTING;
        // Ends early if a worker fails.
        turn.done.await(length.toNanos(), TimeUnit.NANOSECONDS);
        turn.phase = Phase.OVER;
        boolean stopped = turn.done.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS);
        long elapsed = System.nanoTime() - began;
        long allocated = Allocation.bytes() - allocatedBefore;
        turn.end();
        Throwable failure = turn.failure.get();
        if (failure != null) {
            throw new BenchException(name + " failed", failure);
        }
        if (!stopped) {
            throw new BenchException(name + " did not stop within " + STUCK_AFTER, null);
        }
        return sample(elapsed, allocated);
    }

    private Sample sample(long elapsedNanos, long allocated) {
        long operations = 0;
        long increments = 0;
        long most = 0;
        long least = Long.MAX_VALUE;
        Histogram waits = new Histogram(3);
        Histogram batches = new Histogram(3);
        for (BenchWorker worker : workers) {
            operations += worker.operations();
            increments += worker.increments();
            most = Math.max(most, worker.operations());
            least = Math.min(least, worker.operations());
            waits.add(worker.waits());
            batches.add(worker.batches());
        }
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.OPS, operations * 1e9 / elapsedNanos);
        figures.put(Metric.NS_PER_OP, percentile(batches, 50) / workers.get(0).operationsInABatch());
        figures.put(Metric.P50, percentile(waits, 50) / 1e6);
        figures.put(Metric.P99, percentile(waits, 99) / 1e6);
        figures.put(Metric.SHARE, (double) most / least);
        figures.put(Metric.ALLOCATED, Allocation.isMeasured() ? (double) allocated / operations : Double.NaN);
        figures.put(Metric.LOST_UPDATES, (double) (increments - counters.sum()));
        return new Sample(figures);
    }

    private static double percentile(Histogram nanos, double percentile) {
        return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile);
    }

    @Override
    public void close() {
        locking.close();
    }

    /** The threads of one turn: they begin together, and leave only when what they allocated has been read. */
    private final class Turn implements BenchWorker.Signals {
        private final List<Thread> threads = new ArrayList<>();
        private final CountDownLatch go = new CountDownLatch(1);
        private final CountDownLatch underWay = new CountDownLatch(workers.size());
        private final CountDownLatch done = new CountDownLatch(workers.size());
        private final CountDownLatch leave = new CountDownLatch(1);
        private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
        private volatile Phase phase = Phase.GETTING_UNDER_WAY;

        void start() throws InterruptedException {
            for (BenchWorker worker : workers) {
                Thread thread = new Thread(() -> run(worker), "bench-worker");
                thread.setDaemon(true);
                thread.start();
                threads.add(thread);
            }
            go.countDown();
            if (!underWay.await(STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new BenchException(name + " is stuck: not every thread had its turn within " + STUCK_AFTER, null);
            }
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
            try {
                leave.await();
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }

        /** Threads that end later would take what they allocated out of the next turn's figure. */
        void end() throws InterruptedException {
            leave.countDown();
            for (Thread thread : threads) {
                thread.join(STUCK_AFTER.toMillis());
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
}
