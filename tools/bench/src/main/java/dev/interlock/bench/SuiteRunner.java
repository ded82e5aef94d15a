package dev.interlock.bench;

import java.lang.management.CompilationMXBean;
import java.lang.management.ManagementFactory;
import java.time.Duration;
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
    private static final CompilationMXBean COMPILER = ManagementFactory.getCompilationMXBean();

    /** The compiler is busy if it works for a tenth of a turn. */
    private static final int BUSY = 10;

    private static final int MOST_WARM_UPS = 2;

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
        for (Workload workload : suite.all()) {
            results.add(run(workload, workload.within(schedule)));
        }
        return new SuiteResult(suite, schedule, results);
    }

    private WorkloadResult run(Workload workload, Schedule schedule) throws InterruptedException {
        WorkloadResult result = new WorkloadResult(workload);
        Map<Contender, Workload.Bout> bouts = new LinkedHashMap<>();
        try {
            progress.at(workload.name(), 0, schedule.rounds());
            for (Contender contender : workload.contenders()) {
                prepare(workload, contender, result).ifPresent(bout -> bouts.put(contender, bout));
            }
            for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                warmUp(bout.getKey(), bout.getValue(), result, schedule);
            }
            for (int round = 1; round <= schedule.rounds(); round++) {
                progress.at(workload.name(), round, schedule.rounds());
                for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                    turn(bout.getKey(), bout.getValue(), result, schedule.turn())
                            .ifPresent(sample -> result.add(bout.getKey(), sample));
                }
            }
        } finally {
            bouts.values().forEach(Workload.Bout::close);
        }
        return result;
    }

    private static Optional<Workload.Bout> prepare(Workload workload, Contender contender, WorkloadResult result) {
        try {
            return Optional.of(workload.prepare(contender));
        } catch (RuntimeException e) {
            result.failed(contender, "it could not be opened: " + e);
            return Optional.empty();
        }
    }

    /**
     * Floors are a few lines for the compiler and warm at once; ours and the peers are some thousand. Whoever keeps it busy has more turns:
     * it takes the processors from everyone, and what it has not seen to yet is slow.
     */
    private static void warmUp(Contender contender, Workload.Bout bout, WorkloadResult result, Schedule schedule)
            throws InterruptedException {
        int turns = contender.role() == Contender.Role.FLOOR ? Math.min(1, schedule.warmUps()) : schedule.warmUps();
        boolean busy = false;
        for (int i = 0; i < turns || (busy && i < MOST_WARM_UPS * turns); i++) {
            long compiled = COMPILER.getTotalCompilationTime();
            turn(contender, bout, result, schedule.turn());
            long now = COMPILER.getTotalCompilationTime();
            busy = (now - compiled) * BUSY > schedule.turn().toMillis();
        }
    }

    private static Optional<Sample> turn(
            Contender contender, Workload.Bout bout, WorkloadResult result, Duration length)
            throws InterruptedException {
        if (result.failureOf(contender.name()).isPresent()) {
            return Optional.empty();
        }
        try {
            return Optional.of(bout.turn(length));
        } catch (BenchException e) {
            Throwable cause = e.getCause();
            result.failed(contender, cause == null ? String.valueOf(e.getMessage()) : e.getMessage() + ": " + cause);
            return Optional.empty();
        }
    }
}
