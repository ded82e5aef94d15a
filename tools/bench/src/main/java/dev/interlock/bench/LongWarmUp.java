package dev.interlock.bench;

import java.util.List;

/**
 * A workload whose contenders warm up longer than in others: because a suite begins with it and they are cold, or because it does little
 * in a turn.
 *
 * @param workload what is done
 * @param warmUps how many turns to warm up, for each that a later workload has
 */
public record LongWarmUp(Workload workload, int warmUps) implements Workload {
    @Override
    public Schedule within(Schedule schedule) {
        Schedule usual = workload.within(schedule);
        return new Schedule(usual.warmUps() * warmUps, usual.rounds(), usual.turn());
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
