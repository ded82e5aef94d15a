package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/**
 * Threads of one process that acquire and release as fast as they can.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part
 * @param metrics what is shown
 * @param threads how many threads there are
 * @param reach which locks a thread takes
 * @param pace how a thread goes about them
 * @param shown how long the compiler sees each contender before its first turn
 */
public record ThreadedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        int threads,
        Reach reach,
        Pace pace,
        Duration shown)
        implements Workload {
    private static final int THREADS_WITH_SEVERAL = 16;
    private static final int OUT_OF = 1000;

    /** Threads with a lock each that nobody else wants. */
    public static ThreadedWorkload free(int threads, List<Contender> contenders, List<Metric> metrics, Pace pace) {
        return new ThreadedWorkload(
                "free_" + threads + 't',
                threads == 1
                        ? "one thread acquires and releases a lock that nobody else wants"
                        : threads + " threads, each with a lock that nobody else wants",
                contenders,
                metrics,
                threads,
                Reach.own(),
                pace,
                Duration.ZERO);
    }

    /** The same under another name. */
    public ThreadedWorkload named(String otherName, String otherTitle) {
        return new ThreadedWorkload(otherName, otherTitle, contenders, metrics, threads, reach, pace, shown);
    }

    /** The same after the compiler has seen each contender for so long: a single thread would show it too little in a short turn. */
    public ThreadedWorkload shownFor(Duration time) {
        return new ThreadedWorkload(name, title, contenders, metrics, threads, reach, pace, time);
    }

    /** Threads that all want the same lock. */
    public static ThreadedWorkload hot(
            String name, int threads, List<Contender> contenders, List<Metric> metrics, Pace pace) {
        return new ThreadedWorkload(
                name,
                "one lock passed between " + threads + " threads of one process",
                contenders,
                metrics,
                threads,
                Reach.hot(),
                pace,
                Duration.ZERO);
    }

    /** Threads that take several locks at once, out of a thousand. */
    public static ThreadedWorkload several(int locks, List<Contender> contenders, List<Metric> metrics, Pace pace) {
        return new ThreadedWorkload(
                "multi_" + locks,
                THREADS_WITH_SEVERAL + " threads, each operation takes " + locks + " of " + OUT_OF + " locks",
                contenders,
                metrics,
                THREADS_WITH_SEVERAL,
                Reach.several(locks, OUT_OF),
                pace,
                Duration.ZERO);
    }

    /** Copies the lists. */
    public ThreadedWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    @Override
    public Bout prepare(Contender contender) {
        Counters counters = new PlainCounters();
        String who = contender.name() + " at " + name;
        Part part = Part.threads(who, contender, counters, 0, threads, reach, pace);
        return new ThreadedBout(contender, counters, part, shown);
    }
}
