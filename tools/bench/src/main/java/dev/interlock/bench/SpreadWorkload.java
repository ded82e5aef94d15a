package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/**
 * Threads that acquire uncontended locks out of many, a different one each time.
 *
 * @param name the name in reports
 * @param title a short description
 * @param contenders the contenders
 * @param metrics the metrics to report
 * @param threads the number of threads
 * @param locks the number of locks; threads do not share any
 * @param beforehand runs before a contender is opened, for example to fill the store with the records of used locks
 */
public record SpreadWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        int threads,
        int locks,
        Runnable beforehand)
        implements BenchWorkload {
    private static final int THREADS = 8;

    /** With eight threads. */
    public static SpreadWorkload outOf(
            int locks, String name, List<Contender> contenders, List<Metric> metrics, Runnable beforehand) {
        return new SpreadWorkload(
                name,
                THREADS + " threads acquire uncontended locks out of " + locks,
                contenders,
                metrics,
                THREADS,
                locks,
                beforehand);
    }

    /** Copies the lists. */
    public SpreadWorkload {
        if (locks < threads) {
            throw new IllegalArgumentException(threads + " threads need at least as many locks, not " + locks);
        }
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        beforehand.run();
        Counters counters = new PlainCounters();
        return new ThreadedRun(
                contender,
                counters,
                LocalWorkers.spread(contender.name() + " at " + name, contender, counters, threads, locks),
                Duration.ZERO);
    }
}
