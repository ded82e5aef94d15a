package dev.interlock.bench;

import java.util.List;
import java.util.function.UnaryOperator;

/**
 * A workload for which the schedule of its suite is too short or too long.
 *
 * @param workload what is done
 * @param change what becomes of its schedule
 */
public record Scheduled(Workload workload, UnaryOperator<Schedule> change) implements Workload {
    /** A growth is seen in few rounds, since it is large against what varies between them. */
    private static final int ROUNDS_OF_A_STEP = 3;

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

    /** In so many times as many turns, each of them shorter. */
    public static Workload finer(int times, Workload workload) {
        return new Scheduled(workload, usual -> usual.finer(times));
    }

    /** Without turns to warm up: what the server is asked is counted, not how fast. */
    public static Workload cold(Workload workload) {
        return new Scheduled(workload, usual -> new Schedule(0, usual.rounds(), usual.turn()));
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
