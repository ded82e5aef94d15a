package dev.interlock.bench;

import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What the threads of a turn measured, in a form that allows merging several turns. A short turn has too few slow
 * operations for a p99, and too few operations per thread for a fair comparison of threads.
 */
final class ThreadMeasurements {
    /**
     * How often each wait time occurred, in nanoseconds. One histogram per turn of a suite would not fit into memory.
     */
    private final SortedMap<Long, Long> waits;

    /** The operations of each thread, in the order of the threads. */
    private final long[] operations;

    private ThreadMeasurements(SortedMap<Long, Long> waits, long... operations) {
        this.waits = waits;
        this.operations = operations;
    }

    /** Collects the measurements of all threads of a turn. */
    static ThreadMeasurements of(List<ThreadTally> threads) {
        Histogram all = new Histogram(LoopWorker.MAX_NANOS, LoopWorker.DIGITS);
        threads.forEach(thread -> all.add(thread.waits()));
        SortedMap<Long, Long> waits = new TreeMap<>();
        all.recordedValues().forEach(value -> waits.put(value.getValueIteratedTo(), value.getCountAtValueIteratedTo()));
        return new ThreadMeasurements(
                waits, threads.stream().mapToLong(ThreadTally::operations).toArray());
    }

    /** Merges several turns of the same threads. */
    static ThreadMeasurements merge(List<ThreadMeasurements> turns) {
        SortedMap<Long, Long> waits = new TreeMap<>();
        long[] operations = new long[turns.get(0).operations.length];
        for (ThreadMeasurements turn : turns) {
            turn.waits.forEach((nanos, count) -> waits.merge(nanos, count, Long::sum));
            for (int thread = 0; thread < operations.length; thread++) {
                operations[thread] += turn.operations[thread];
            }
        }
        return new ThreadMeasurements(waits, operations);
    }

    /** Returns a metric that is {@link Metric#isMeasuredByThreads()}. */
    double figure(Metric metric) {
        return switch (metric) {
            case P50 -> millis(50);
            case P99 -> millis(99);
            case P999 -> millis(99.9);
            case SHARE -> share();
            default -> throw new IllegalArgumentException(metric + " is not measured by threads");
        };
    }

    /** The number of wait times. */
    long times() {
        return waits.values().stream().mapToLong(Long::longValue).sum();
    }

    private double millis(double percentile) {
        long all = times();
        long rank = Math.max(1, (long) Math.ceil(all * percentile / 100));
        long seen = 0;
        for (var wait : waits.entrySet()) {
            seen += wait.getValue();
            if (seen >= rank) {
                return wait.getKey() / 1e6;
            }
        }
        return Double.NaN;
    }

    private double share() {
        return (double) Arrays.stream(operations).max().orElse(0)
                / Arrays.stream(operations).min().orElse(0);
    }
}
