package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;

/**
 * Runs a suite: in every round of a workload each contender has one turn, always in the same order.
 *
 * <p>A contender that fails, in whatever way, is out of its workload and stays in the report; the others go on.
 */
public final class SuiteRunner {
    /** The compiler is busy if it works for a tenth of a turn. */
    private static final int BUSY = 10;

    private static final int MOST_WARM_UPS = 2;

    private final Schedule schedule;
    private final Progress progress;
    private final LongSupplier compiledMillis;

    /** With this schedule, telling its progress. */
    public SuiteRunner(Schedule schedule, Progress progress) {
        this(schedule, progress, ManagementFactory.getCompilationMXBean()::getTotalCompilationTime);
    }

    /** With another clock of the compiler. */
    SuiteRunner(Schedule schedule, Progress progress, LongSupplier compiledMillis) {
        this.schedule = schedule;
        this.progress = progress;
        this.compiledMillis = compiledMillis;
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
            warmUp(bouts, result, schedule);
            for (int round = 1; round <= schedule.rounds(); round++) {
                progress.at(workload.name(), round, schedule.rounds());
                for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                    turn(bout.getKey(), bout.getValue(), result, schedule.turn())
                            .ifPresent(sample -> result.add(bout.getKey(), sample));
                }
            }
        } finally {
            bouts.forEach((contender, bout) -> close(contender, bout, result));
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
     * Everyone has equally many turns. Whoever keeps the compiler busy brings everyone more of them: it takes the processors from all, and
     * what it has not seen to yet is slow.
     */
    private void warmUp(Map<Contender, Workload.Bout> bouts, WorkloadResult result, Schedule schedule)
            throws InterruptedException {
        boolean busy = false;
        for (int i = 0; i < schedule.warmUps() || (busy && i < MOST_WARM_UPS * schedule.warmUps()); i++) {
            busy = false;
            for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                long compiled = compiledMillis.getAsLong();
                turn(bout.getKey(), bout.getValue(), result, schedule.turn());
                long spent = compiledMillis.getAsLong() - compiled;
                busy |= spent * BUSY > schedule.turn().toMillis();
            }
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
        } catch (RuntimeException e) {
            result.failed(contender, reason(e));
            return Optional.empty();
        }
    }

    private static void close(Contender contender, Workload.Bout bout, WorkloadResult result) {
        try {
            bout.close();
        } catch (RuntimeException e) {
            // Why it failed before says more than that it cannot be closed now.
            if (result.failureOf(contender.name()).isEmpty()) {
                result.failed(contender, "it could not be closed: " + e);
            }
        }
    }

    private static String reason(RuntimeException failure) {
        if (!(failure instanceof BenchException)) {
            return failure.toString();
        }
        Throwable cause = failure.getCause();
        return cause == null ? String.valueOf(failure.getMessage()) : failure.getMessage() + ": " + cause;
    }
}
