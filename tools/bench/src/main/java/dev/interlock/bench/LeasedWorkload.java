package dev.interlock.bench;

import java.time.Duration;
import java.util.List;
import java.util.function.Function;

/**
 * Many leases on a server that are held at the same time: what it costs to keep them.
 *
 * <p>All contenders hold theirs side by side, each in a process and on a server of its own, so that a round takes as long as
 * one renewal and not as long as one for each of them.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part; each has a meter
 * @param childrenOf where the process of a contender comes from
 * @param locks how many leases
 * @param renewal how often each of them is renewed; what is counted is counted for so long
 */
public record LeasedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        Function<String, Children> childrenOf,
        int locks,
        Duration renewal)
        implements Workload {
    /** Leases of this length, renewed at a third of it. */
    public static LeasedWorkload of(
            String name, int locks, Duration lease, List<Contender> contenders, Function<String, Children> childrenOf) {
        return new LeasedWorkload(
                name,
                locks + " leases of " + lease.toSeconds() + " s, kept alive",
                contenders,
                childrenOf,
                locks,
                lease.dividedBy(3));
    }

    /** Copies the list. */
    public LeasedWorkload {
        contenders = List.copyOf(contenders);
    }

    /** What is counted hardly varies, so a few rounds are enough. The first turn waits until all is acquired. */
    @Override
    public Schedule within(Schedule schedule) {
        return new Schedule(1, Math.min((schedule.rounds() + 1) / 2, 3), schedule.turn());
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.COMMANDS_PER_SECOND, Metric.CALLS_PER_SECOND, Metric.HEAP, Metric.THREADS);
    }

    @Override
    public Bout prepare(Contender contender) {
        return new LeasedBout(contender, this);
    }
}
