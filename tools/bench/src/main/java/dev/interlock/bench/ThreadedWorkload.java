package dev.interlock.bench;

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
 */
public record ThreadedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        int threads,
        Reach reach,
        Pace pace)
        implements Workload {
    /** Copies the lists. */
    public ThreadedWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    @Override
    public Bout prepare(Contender contender) {
        return new ThreadedBout(contender, this);
    }
}
