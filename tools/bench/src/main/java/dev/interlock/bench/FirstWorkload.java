package dev.interlock.bench;

import java.util.List;

/**
 * The workload with which a suite begins: its contenders are cold, so they warm up longer than in any later one.
 *
 * @param workload what is done
 * @param warmUps how many turns to warm up, for each that a later workload has
 */
public record FirstWorkload(Workload workload, int warmUps) implements Workload {
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
