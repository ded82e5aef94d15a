package dev.interlock.bench;

import java.time.Duration;
import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A workload for which the schedule of its suite is too short or too long.
 *
 * @param workload what is done
 * @param change what becomes of its schedule
 * @param share how much of a suite's time it needs
 */
public record Scheduled(Workload workload, UnaryOperator<Schedule> change, int share) implements Workload {
    /** A growth is seen in few rounds, since it is large against what varies between them. */
    private static final int ROUNDS_OF_A_STEP = 3;

    private static final int FEWER_ROUNDS = 3;
    private static final Duration LONG_ENOUGH = Duration.ofMillis(500);

    private Scheduled(Workload workload, UnaryOperator<Schedule> change) {
        this(workload, change, workload.share());
    }

    /** With another share of the time. */
    public static Workload sharing(int share, Workload workload) {
        return new Scheduled(workload, usual -> usual, share);
    }

    /**
     * With so many times as many turns to warm up: because a suite begins with it and the contenders are cold, or because it does little
     * in a turn.
     */
    public static Workload warmedUpLonger(int times, Workload workload) {
        return new Scheduled(workload, usual -> new Schedule(usual.warmUps() * times, usual.rounds(), usual.turn()));
    }

    /** With turns so many times as long: because some contender does little in one. */
    public static Workload longer(int times, Workload workload) {
        return new Scheduled(
                workload,
                usual -> new Schedule(
                        usual.warmUps(), usual.rounds(), usual.turn().multipliedBy(times)));
    }

    /** With few turns, and long ones: what the server is asked now and then is counted, not how fast. The first one opens connections, and does not count. */
    public static Workload seldom(Workload workload) {
        return new Scheduled(
                workload,
                usual -> new Schedule(
                        1,
                        Math.max(1, usual.rounds() / FEWER_ROUNDS),
                        usual.turn().compareTo(LONG_ENOUGH) < 0 ? LONG_ENOUGH : usual.turn()));
    }

    /** As one of the steps of a growth: what it is made of has been warmed up by the workloads before it. */
    static Workload asStep(Workload workload) {
        return new Scheduled(
                workload,
                usual -> new Schedule(
                        Math.min(usual.warmUps(), 1), Math.min(usual.rounds(), ROUNDS_OF_A_STEP), usual.turn()));
    }

    @Override
    public Schedule within(Schedule schedule) {
        return change.apply(workload.within(schedule));
    }

    @Override
    public boolean gainsByRounds() {
        return workload.gainsByRounds();
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
    public Bout prepare(Contender contender) {
        return workload.prepare(contender);
    }
}
