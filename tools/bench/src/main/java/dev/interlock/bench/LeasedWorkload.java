package dev.interlock.bench;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongBiFunction;

/**
 * Many leases on a server that are held at the same time: what it costs to keep them.
 *
 * <p>All contenders hold theirs side by side, each in a process and on a server of its own, so that a round takes as long as
 * one renewal and not as long as one for each of them.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part; each has a meter
 * @param metrics what is shown
 * @param childrenOf where the process of a contender comes from
 * @param held how many of these locks a contender holds in the eyes of its server
 * @param locks how many leases
 * @param renewal how often most renew each of them; what is counted is counted for so long
 */
public record LeasedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        Function<String, Children> childrenOf,
        ToLongBiFunction<String, Set<String>> held,
        int locks,
        Duration renewal)
        implements Workload {
    /** Leases of this length, renewed at a third of it. */
    public static LeasedWorkload of(
            String name,
            int locks,
            Duration lease,
            List<Contender> contenders,
            List<Metric> metrics,
            Function<String, Children> childrenOf,
            ToLongBiFunction<String, Set<String>> held) {
        return new LeasedWorkload(
                name,
                locks + " leases of " + lease.toSeconds() + " s, kept alive",
                contenders,
                metrics,
                childrenOf,
                held,
                locks,
                lease.dividedBy(3));
    }

    /** Copies the lists. */
    public LeasedWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    /** What is counted hardly varies, so a few rounds are enough. The first turn waits until all is acquired. */
    @Override
    public Schedule within(Schedule schedule) {
        return new Schedule(1, Math.min((schedule.rounds() + 1) / 2, 3), schedule.turn());
    }

    @Override
    public boolean gainsByRounds() {
        return false;
    }

    @Override
    public Bout prepare(Contender contender) {
        return new LeasedBout(contender, this);
    }
}
