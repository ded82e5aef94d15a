package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/**
 * Threads of one process that acquire and release as fast as they can.
 *
 * @param name the name in reports
 * @param title a short description
 * @param contenders the contenders
 * @param metrics the metrics to report
 * @param threads the number of threads
 * @param selection the locks of each thread
 * @param pace how a thread runs its operations
 * @param jitWarmUp how long each contender warms up the JIT compiler before its first turn
 */
public record ThreadedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        int threads,
        LockSelection selection,
        BenchPace pace,
        Duration jitWarmUp)
        implements BenchWorkload {
    private static final int THREADS_WITH_SEVERAL = 16;
    private static final int OUT_OF = 1000;

    /** Threads that each have their own, uncontended lock. */
    public static ThreadedWorkload free(int threads, List<Contender> contenders, List<Metric> metrics, BenchPace pace) {
        return new ThreadedWorkload(
                "free_" + threads + 't',
                threads == 1
                        ? "one thread acquires and releases an uncontended lock"
                        : threads + " threads, each with its own uncontended lock",
                contenders,
                metrics,
                threads,
                LockSelection.own(),
                pace,
                Duration.ZERO);
    }

    /** A copy with another name. */
    public ThreadedWorkload named(String otherName, String otherTitle) {
        return new ThreadedWorkload(otherName, otherTitle, contenders, metrics, threads, selection, pace, jitWarmUp);
    }

    /** A copy with a longer warm-up of the JIT compiler. One thread alone runs too little code in a short turn. */
    public ThreadedWorkload withJitWarmUp(Duration time) {
        return new ThreadedWorkload(name, title, contenders, metrics, threads, selection, pace, time);
    }

    /** Threads that use the same lock. */
    public static ThreadedWorkload hot(
            String name, int threads, List<Contender> contenders, List<Metric> metrics, BenchPace pace) {
        return new ThreadedWorkload(
                name,
                "one lock passed between " + threads + " threads of one process",
                contenders,
                metrics,
                threads,
                LockSelection.hot(),
                pace,
                Duration.ZERO);
    }

    /** Threads that acquire several of a thousand locks at once. */
    public static ThreadedWorkload several(
            int locks, List<Contender> contenders, List<Metric> metrics, BenchPace pace) {
        return new ThreadedWorkload(
                "multi_" + locks,
                THREADS_WITH_SEVERAL + " threads, each operation acquires " + locks + " of " + OUT_OF + " locks",
                contenders,
                metrics,
                THREADS_WITH_SEVERAL,
                LockSelection.several(locks, OUT_OF),
                pace,
                Duration.ZERO);
    }

    /** Copies the lists. */
    public ThreadedWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        Counters counters = new PlainCounters();
        String label = contender.name() + " at " + name;
        LocalWorkers workers = LocalWorkers.threads(label, contender, counters, 0, threads, selection, pace);
        return new ThreadedRun(contender, counters, workers, jitWarmUp);
    }
}
