package dev.interlock.bench;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A workload that changes the schedule of its suite.
 *
 * @param workload the workload
 * @param change derives its schedule
 * @param share its share of the suite's time
 */
public record ScheduledWorkload(BenchWorkload workload, UnaryOperator<Schedule> change, int share)
        implements BenchWorkload {
    /**
     * Few rounds are enough for a step, because the growth between steps is large compared with the variation between
     * rounds.
     */
    private static final int ROUNDS_OF_A_STEP = 3;

    private static final int FEWER_ROUNDS = 3;
    private static final Duration LONG_ENOUGH = Duration.ofMillis(500);

    private ScheduledWorkload(BenchWorkload workload, UnaryOperator<Schedule> change) {
        this(workload, change, workload.share());
    }

    /** With another share of the time. */
    public static BenchWorkload withShare(int share, BenchWorkload workload) {
        return new ScheduledWorkload(workload, usual -> usual, share);
    }

    /**
     * With this many times as many warm-up turns: for the first workload of a suite, when contenders are cold, or for
     * one that does little in a turn.
     */
    public static BenchWorkload withMoreWarmUps(int times, BenchWorkload workload) {
        return new ScheduledWorkload(
                workload, usual -> new Schedule(usual.warmUps() * times, usual.rounds(), usual.turn()));
    }

    /** With turns this many times as long: for workloads in which some contender does little in a turn. */
    public static BenchWorkload withLongerTurns(int times, BenchWorkload workload) {
        return new ScheduledWorkload(
                workload,
                usual -> new Schedule(
                        usual.warmUps(), usual.rounds(), usual.turn().multipliedBy(times)));
    }

    /**
     * With few, long turns: for workloads that count rare requests to the server. The first turn opens connections and
     * does not count.
     */
    public static BenchWorkload withFewLongTurns(BenchWorkload workload) {
        return new ScheduledWorkload(
                workload,
                usual -> new Schedule(
                        1,
                        Math.max(1, usual.rounds() / FEWER_ROUNDS),
                        usual.turn().compareTo(LONG_ENOUGH) < 0 ? LONG_ENOUGH : usual.turn()));
    }

    /** For a step of a scaling run. Earlier workloads have already warmed up its code. */
    static BenchWorkload asStep(BenchWorkload workload) {
        return new ScheduledWorkload(
                workload,
                usual -> new Schedule(
                        Math.min(usual.warmUps(), 1), Math.min(usual.rounds(), ROUNDS_OF_A_STEP), usual.turn()));
    }

    @Override
    public Schedule within(Schedule schedule) {
        return change.apply(workload.within(schedule));
    }

    @Override
    public boolean benefitsFromMoreRounds() {
        return workload.benefitsFromMoreRounds();
    }

    @Override
    public String name() {
        return workload.name();
    }

    @Override
    public String title() {
        return workload.title();
    }

    @Override
    public List<Contender> contenders() {
        return workload.contenders();
    }

    @Override
    public List<Metric> metrics() {
        return workload.metrics();
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        return workload.prepare(contender);
    }
}
