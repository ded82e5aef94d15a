package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import org.HdrHistogram.Histogram;
import org.HdrHistogram.PackedHistogram;

/**
 * A worker that goes through its operations in a circle.
 *
 * <p>Does not allocate while the clock runs, so that what is allocated is the contender's; unless it is one of a crowd. Used by one
 * thread at a time.
 */
final class BenchWorker implements Worker {
    static final long LONGEST_NANOS = 120_000_000_000L;

    /** Of a time that is noted. A third one would make what is added up after each turn eight times as large, and no computer is so steady. */
    static final int DIGITS = 2;

    /**
     * Set where a suite must be over soon: whether nobody waits until a worker has had the lock. Where many poll for one lock it takes seconds until each of them has had it,
     * and only then they have settled into their ways.
     */
    static final boolean HASTY = Boolean.getBoolean("interlock.bench.hasty");

    private final Counters counters;
    private final Pace pace;
    private final List<Guard> guards = new ArrayList<>();
    private final List<Section> sections = new ArrayList<>();
    private final Histogram waits;
    private final Histogram batches;
    private int next;
    private int untilTimed;
    private long batchBegan;
    private long operations;
    private long allOperations;
    private long increments;

    BenchWorker(Counters counters, Pace pace) {
        this(counters, pace, new Histogram(LONGEST_NANOS, DIGITS), new Histogram(LONGEST_NANOS, DIGITS));
    }

    private BenchWorker(Counters counters, Pace pace, Histogram waits, Histogram batches) {
        this.counters = counters;
        this.pace = pace;
        this.waits = waits;
        this.batches = batches;
        this.untilTimed = pace.timedEvery();
    }

    /** One of very many: the others' notes are tens of kilobytes each, these grow with what is noted. */
    static BenchWorker ofACrowd(Counters counters, Pace pace) {
        return new BenchWorker(
                counters, pace, new PackedHistogram(LONGEST_NANOS, DIGITS), new PackedHistogram(LONGEST_NANOS, DIGITS));
    }

    void add(Guard guard, int[] counterNumbers) {
        guards.add(guard);
        sections.add(new Section(counterNumbers));
    }

    @Override
    public boolean isAwaited() {
        return !HASTY;
    }

    /**
     * Counts only when all workers are under way: until the others have come, the first one has the lock for itself, and would do more then
     * than all of them in the rest of the turn. What is completed when the turn is over is not counted
     * either, or the last ones in line would stretch the turn of a lock that lets them wait long.
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
            batches.recordValue(Math.min(now - batchBegan, LONGEST_NANOS));
        }
        batchBegan = now;
        return now;
    }

    @Override
    public Tally tally() {
        return new Tally(operations, allOperations, increments, waits, batches, pace.timedEvery());
    }

    /** What is done while the lock is held. */
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
                waits.recordValue(Math.min(System.nanoTime() - askedNanos, LONGEST_NANOS));
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
