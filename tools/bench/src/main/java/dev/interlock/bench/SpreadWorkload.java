package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/**
 * Threads that take free locks out of many, another one each time.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part
 * @param metrics what is shown
 * @param threads how many threads there are
 * @param locks how many locks; each thread has a part of them to itself
 * @param beforehand done before a contender is opened, for example to give the store what so many locks leave in it
 */
public record SpreadWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        int threads,
        int locks,
        Runnable beforehand)
        implements Workload {
    private static final int THREADS = 8;

    /** With eight threads. */
    public static SpreadWorkload outOf(
            int locks, String name, List<Contender> contenders, List<Metric> metrics, Runnable beforehand) {
        return new SpreadWorkload(
                name,
                THREADS + " threads take free locks out of " + locks,
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
    public Bout prepare(Contender contender) {
        beforehand.run();
        Counters counters = new PlainCounters();
        return new ThreadedBout(
                contender,
                counters,
                Part.wanderers(contender.name() + " at " + name, contender, counters, threads, locks),
                Duration.ZERO);
    }
}
