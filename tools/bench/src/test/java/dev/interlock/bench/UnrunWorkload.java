package dev.interlock.bench;

import java.util.List;
import java.util.Map;

/** A workload that never runs. Tests compose its result value by value. */
record UnrunWorkload(String name, String title, List<Contender> contenders, List<Metric> metrics)
        implements BenchWorkload {
    /** Without values yet. */
    WorkloadResult result() {
        return new WorkloadResult(this);
    }

    /** With one round, in which the contenders measured these values of the first metric. */
    WorkloadResult result(double... figures) {
        WorkloadResult result = result();
        for (int i = 0; i < figures.length; i++) {
            result.add(contenders.get(i), new Sample(Map.of(metrics.get(0), figures[i])));
        }
        return result;
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        throw new UnsupportedOperationException(name + " cannot run");
    }
}
