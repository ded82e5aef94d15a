package dev.interlock.bench;

import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.function.Function;
import java.util.function.ToLongBiFunction;

/**
 * Many leases on a server, held at the same time: what it costs to keep them.
 *
 * <p>All contenders hold their leases at the same time, each in its own process and on its own server. A round
 * therefore takes as long as one renewal interval, not one per contender.
 *
 * @param name the name in reports
 * @param title a short description
 * @param contenders the contenders; each has a meter
 * @param metrics the metrics to report
 * @param processPoolOf provides the process of a contender
 * @param held counts how many of these locks a contender holds according to its server
 * @param locks the number of leases
 * @param renewal the usual renewal interval; a turn measures for this long
 */
public record LeasedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        Function<String, BenchProcesses> processPoolOf,
        ToLongBiFunction<String, Set<String>> held,
        int locks,
        Duration renewal)
        implements BenchWorkload {
    /** Leases of this length, renewed after a third of it. */
    public static LeasedWorkload of(
            String name,
            int locks,
            Duration lease,
            List<Contender> contenders,
            List<Metric> metrics,
            Function<String, BenchProcesses> processPoolOf,
            ToLongBiFunction<String, Set<String>> held) {
        return new LeasedWorkload(
                name,
                locks + " leases of " + lease.toSeconds() + " s, kept alive",
                contenders,
                metrics,
                processPoolOf,
                held,
                locks,
                lease.dividedBy(3));
    }

    /** Copies the lists. */
    public LeasedWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    /** The results hardly vary, so few rounds are enough. The first turn waits until all leases are acquired. */
    @Override
    public Schedule within(Schedule schedule) {
        return new Schedule(1, Math.min((schedule.rounds() + 1) / 2, 3), schedule.turn());
    }

    @Override
    public boolean benefitsFromMoreRounds() {
        return false;
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        return new LeasedRun(contender, this);
    }
}
