package dev.interlock.bench;

import java.util.Arrays;
import java.util.List;
import java.util.SortedMap;
import java.util.TreeMap;
import org.HdrHistogram.Histogram;

/**
 * What the threads of a turn noted, so that several turns can be looked at as one: of the slowest hundredth of a short turn there are too few
 * to say where it begins, and by chance somebody always had fewer turns than the others.
 */
final class Notes {
    /** How often each time from asking for a lock to holding it was seen, in nanoseconds. A histogram for each turn of a suite would not fit into memory. */
    private final SortedMap<Long, Long> waits;

    /** Of each thread, in the order of the threads. */
    private final long[] operations;

    private Notes(SortedMap<Long, Long> waits, long... operations) {
        this.waits = waits;
        this.operations = operations;
    }

    /** Those of all threads of a turn. */
    static Notes of(List<Tally> threads) {
        Histogram all = new Histogram(BenchWorker.LONGEST_NANOS, BenchWorker.DIGITS);
        threads.forEach(thread -> all.add(thread.waits()));
        SortedMap<Long, Long> waits = new TreeMap<>();
        all.recordedValues().forEach(value -> waits.put(value.getValueIteratedTo(), value.getCountAtValueIteratedTo()));
        return new Notes(waits, threads.stream().mapToLong(Tally::operations).toArray());
    }

    /** Several turns of the same threads as one. */
    static Notes together(List<Notes> turns) {
        SortedMap<Long, Long> waits = new TreeMap<>();
        long[] operations = new long[turns.get(0).operations.length];
        for (Notes turn : turns) {
            turn.waits.forEach((nanos, count) -> waits.merge(nanos, count, Long::sum));
            for (int thread = 0; thread < operations.length; thread++) {
                operations[thread] += turn.operations[thread];
            }
        }
        return new Notes(waits, operations);
    }

    /** A figure that is {@link Metric#isNoted()}. */
    double figure(Metric metric) {
        return switch (metric) {
            case P50 -> millis(50);
            case P99 -> millis(99);
            case P999 -> millis(99.9);
            case SHARE -> share();
            default -> throw new IllegalArgumentException(metric + " is not noted");
        };
    }

    /** How many times were noted. */
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
