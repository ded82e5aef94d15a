package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/**
 * A worker that repeats a list of operations.
 *
 * <p>It does not allocate during the measurement, so that all allocations belong to the contender, unless it uses
 * compact histograms. Used by one thread at a time.
 */
final class LoopWorker implements BenchWorker {
    static final long MAX_NANOS = 120_000_000_000L;

    /**
     * Significant digits of a recorded time. A third digit would make the data of each turn eight times as large, and
     * no computer is that steady.
     */
    static final int DIGITS = 2;

    /**
     * Whether the turn starts to count without waiting for each worker's first operation; set for quick suites. Polling
     * contenders need seconds until every thread has had the lock and throughput is stable.
     */
    static final boolean QUICK = Boolean.getBoolean("interlock.bench.quick");

    private final Counters counters;
    private final BenchPace pace;
    private final List<LockGuard> guards = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private final Histogram waits;
    private final Histogram batches;
    private int next;
    private int untilTimed;
    private long batchBegan;
    private long operations;
    private long allOperations;
    private long increments;

    LoopWorker(Counters counters, BenchPace pace) {
        this(counters, pace, new Histogram(MAX_NANOS, DIGITS), new Histogram(MAX_NANOS, DIGITS));
    }

    private LoopWorker(Counters counters, BenchPace pace, Histogram waits, Histogram batches) {
        this.counters = counters;
        this.pace = pace;
        this.waits = waits;
        this.batches = batches;
        this.untilTimed = pace.timedEvery();
    }

    /**
     * A worker for a run with very many threads. Normal histograms take tens of kilobytes each; these grow with their
     * content.
     */
    static LoopWorker withCompactHistograms(Counters counters, BenchPace pace) {
        return new LoopWorker(
                counters, pace, new PackedHistogram(MAX_NANOS, DIGITS), new PackedHistogram(MAX_NANOS, DIGITS));
    }

    void add(LockGuard guard, int[] counterNumbers) {
        guards.add(guard);
        sections.add(new Section(counterNumbers));
    }

    @Override
    public boolean isAwaited() {
        return !QUICK;
    }

    /**
     * Counts only after all workers have started. The first worker has the lock to itself until the others arrive, and
     * would otherwise do more operations than all of them in the rest of the turn. Operations that complete after the
     * end of the turn do not count either. Otherwise the last waiters would extend the turn of a slow lock.
     */
    @Override
    public void work(Signals signals) {
        increments = 0;
        allOperations = 0;
        if (isAwaited()) {
            operate();
        }
        signals.underWay();
        while (signals.phase() == Phase.GETTING_UNDER_WAY) {
            operate();
        }
        operations = 0;
        batchBegan = 0;
        waits.reset();
        batches.reset();
        boolean counting = signals.phase() == Phase.COUNTING;
        while (counting) {
            operate();
            counting = signals.phase() == Phase.COUNTING;
            operations += counting ? 1 : 0;
        }
    }

    private void operate() {
        Section section = sections.get(next);
        if (--untilTimed == 0) {
            untilTimed = pace.timedEvery();
            section.askedNanos = startBatch();
        }
        guards.get(next).run(section);
        allOperations++;
        increments += section.counterNumbers.length;
        next = next + 1 == sections.size() ? 0 : next + 1;
    }

    private long startBatch() {
        long now = System.nanoTime();
        if (batchBegan != 0) {
            batches.recordValue(Math.min(now - batchBegan, MAX_NANOS));
        }
        batchBegan = now;
        return now;
    }

    @Override
    public ThreadTally tally() {
        return new ThreadTally(operations, allOperations, increments, waits, batches, pace.timedEvery());
    }

    /** The critical section. */
    private final class Section implements Runnable {
        private final int[] counterNumbers;
        private final long[] seen;
        private long askedNanos;

        Section(int[] counterNumbers) {
            this.counterNumbers = counterNumbers;
            this.seen = new long[counterNumbers.length];
        }

        @Override
        public void run() {
            if (askedNanos != 0) {
                waits.recordValue(Math.min(System.nanoTime() - askedNanos, MAX_NANOS));
                askedNanos = 0;
            }
            for (int i = 0; i < seen.length; i++) {
                seen[i] = counters.read(counterNumbers[i]);
            }
            pace.stay();
            for (int i = 0; i < seen.length; i++) {
                counters.write(counterNumbers[i], seen[i] + 1);
            }
        }
    }
}
