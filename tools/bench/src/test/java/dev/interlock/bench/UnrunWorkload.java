package dev.interlock.bench;

import java.util.List;
import java.util.Map;

/** A workload that never runs: tests put its result together, figure by figure. */
record UnrunWorkload(String name, String title, List<Contender> contenders, List<Metric> metrics) implements Workload {
    /** Without figures yet. */
    WorkloadResult result() {
        return new WorkloadResult(this);
    }

    /** With one round, in which each contender measured its one of these as the first metric. */
    WorkloadResult result(double... figures) {
        WorkloadResult result = result();
        for (int i = 0; i < figures.length; i++) {
            result.add(contenders.get(i), new Sample(Map.of(metrics.get(0), figures[i])));
        }
        return result;
    }

    @Override
    public Bout prepare(Contender contender) {
        throw new UnsupportedOperationException(name + " is not for running");
    }
}
