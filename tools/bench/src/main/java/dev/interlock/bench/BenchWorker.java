package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;

/**
 * One thread's part in a workload: goes through its operations in a circle and counts.
 *
 * <p>Does not allocate while the clock runs, so that what is allocated is the contender's. Used by one thread at a time.
 */
final class BenchWorker {
    private static final long LONGEST_NANOS = 120_000_000_000L;

    private final PlainCounters counters;
    private final int timedEvery;
    private final List<Guard> guards = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private final Histogram waits = new Histogram(LONGEST_NANOS, 3);
    private final Histogram batches = new Histogram(LONGEST_NANOS, 3);
    private int next;
    private int untilTimed;
    private long batchBegan;
    private long operations;
    private long increments;

    BenchWorker(PlainCounters counters, int timedEvery) {
        this.counters = counters;
        this.timedEvery = timedEvery;
        this.untilTimed = timedEvery;
    }

    void add(Guard guard, int[] counterNumbers) {
        guards.add(guard);
        sections.add(new Section(counterNumbers));
    }

    /**
     * Works until it is told to stop; the operation that has begun is completed.
     *
     * <p>Counts only when all workers are under way: until the others have come, the first one has the lock for itself, and
     * would do more then than all of them in the rest of the turn.
     */
    void work(Signals signals) {
        increments = 0;
        operate();
        signals.underWay();
        while (signals.phase() == Phase.GETTING_UNDER_WAY) {
            operate();
        }
        operations = 0;
        batchBegan = 0;
        waits.reset();
        batches.reset();
        while (signals.phase() == Phase.COUNTING) {
            operate();
        }
    }

    private void operate() {
        Section section = sections.get(next);
        if (--untilTimed == 0) {
            untilTimed = timedEvery;
            section.askedNanos = startBatch();
        }
        guards.get(next).run(section);
        operations++;
        increments += section.counterNumbers.length;
        next = next + 1 == sections.size() ? 0 : next + 1;
    }

    private long startBatch() {
        long now = System.nanoTime();
        if (batchBegan != 0) {
            batches.recordValue(Math.min(now - batchBegan, LONGEST_NANOS));
        }
        batchBegan = now;
        return now;
    }

    /** The parts of a turn. */
    enum Phase {
        GETTING_UNDER_WAY,
        COUNTING,
        OVER
    }

    /** How a worker and its turn talk to each other. */
    interface Signals {
        /** What to do now. */
        Phase phase();

        /** This worker has done its first operation. */
        void underWay();
    }

    long operations() {
        return operations;
    }

    /** All of the turn, counted or not. */
    long increments() {
        return increments;
    }

    /** From asking for a lock to holding it, in nanoseconds; one in so many operations is timed. */
    Histogram waits() {
        return waits;
    }

    /** The time in nanoseconds from one timed operation to the next. */
    Histogram batches() {
        return batches;
    }

    int operationsInABatch() {
        return timedEvery;
    }

    /** What is done while the lock is held. */
    private final class Section implements Runnable {
        private final int[] counterNumbers;
        private long askedNanos;

        Section(int[] counterNumbers) {
            this.counterNumbers = counterNumbers;
        }

        @Override
        public void run() {
            if (askedNanos != 0) {
                waits.recordValue(Math.min(System.nanoTime() - askedNanos, LONGEST_NANOS));
                askedNanos = 0;
            }
            for (int number : counterNumbers) {
                counters.increment(number);
            }
        }
    }
}
