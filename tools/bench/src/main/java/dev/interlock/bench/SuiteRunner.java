package dev.interlock.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Runs a suite: in every round of a workload each contender has one turn, always in the same order.
 *
 * <p>A contender that fails is out of its workload and stays in the report.
 */
public final class SuiteRunner {
    private final Schedule schedule;
    private final Progress progress;

    /** With this schedule, telling its progress. */
    public SuiteRunner(Schedule schedule, Progress progress) {
        this.schedule = schedule;
        this.progress = progress;
    }

    /** Runs all workloads, one after the other. */
    public SuiteResult run(Suite suite) throws InterruptedException {
        List<WorkloadResult> results = new ArrayList<>();
        for (Workload workload : suite.workloads()) {
            results.add(run(workload));
        }
        return new SuiteResult(suite, schedule, results);
    }

    private WorkloadResult run(Workload workload) throws InterruptedException {
        WorkloadResult result = new WorkloadResult(workload);
        Map<Contender, Workload.Bout> bouts = new LinkedHashMap<>();
        try {
            for (Contender contender : workload.contenders()) {
                bouts.put(contender, workload.prepare(contender));
            }
            progress.at(workload.name(), 0, schedule.rounds());
            for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                warmUp(bout.getKey(), bout.getValue(), result);
            }
            for (int round = 1; round <= schedule.rounds(); round++) {
                progress.at(workload.name(), round, schedule.rounds());
                for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                    turn(bout.getKey(), bout.getValue(), result).ifPresent(sample -> result.add(bout.getKey(), sample));
                }
            }
        } finally {
            bouts.values().forEach(Workload.Bout::close);
        }
        return result;
    }

    /** Floors are a few lines for the compiler and warm at once; ours is some thousand. */
    private void warmUp(Contender contender, Workload.Bout bout, WorkloadResult result) throws InterruptedException {
        int turns = contender.isOurs() ? schedule.warmUps() : Math.min(1, schedule.warmUps());
        for (int i = 0; i < turns; i++) {
            turn(contender, bout, result);
        }
    }

    private Optional<Sample> turn(Contender contender, Workload.Bout bout, WorkloadResult result)
            throws InterruptedException {
        if (result.failureOf(contender.name()).isPresent()) {
            return Optional.empty();
        }
        try {
            return Optional.of(bout.turn(schedule.turn()));
        } catch (BenchException e) {
            Throwable cause = e.getCause();
            result.failed(contender, cause == null ? String.valueOf(e.getMessage()) : e.getMessage() + ": " + cause);
            return Optional.empty();
        }
    }
}
