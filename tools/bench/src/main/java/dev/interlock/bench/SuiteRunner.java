package dev.interlock.bench;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/**
 * Runs a suite. In every round of a workload each contender has one turn, always in the same order.
 *
 * <p>A contender that fails leaves its workload, and the report says why. The others continue.
 */
public final class SuiteRunner {
    /** The JIT compiler counts as busy if it works for more than a tenth of a turn. */
    private static final int BUSY = 10;

    private static final int MAX_WARM_UPS = 2;

    /** With a time limit, a quarter of the time is used for warming up. */
    private static final int WARM_UP_DIVISOR = 4;

    /** More rounds than this do not improve the result. */
    private static final int MAX_ROUNDS = 200;

    private final Schedule schedule;
    private final BenchProgress progress;
    private final LongSupplier compiledMillis;
    private final Supplier<CpuSteal> stolen;

    /** Runs with this schedule and reports its progress. */
    public SuiteRunner(Schedule schedule, BenchProgress progress) {
        this(schedule, progress, JitActivity::spentMillis, CpuSteal::now);
    }

    /** For tests: with other sources of compilation time and CPU steal. */
    SuiteRunner(Schedule schedule, BenchProgress progress, LongSupplier compiledMillis, Supplier<CpuSteal> stolen) {
        this.schedule = schedule;
        this.progress = progress;
        this.compiledMillis = compiledMillis;
        this.stolen = stolen;
    }

    /** Runs all workloads one after the other. */
    public SuiteResult run(Suite suite) throws InterruptedException {
        List<WorkloadResult> results = new ArrayList<>();
        List<BenchWorkload> left = new ArrayList<>(suite.all());
        Optional<Long> end = schedule.total().map(total -> System.nanoTime() + total.toNanos());
        for (BenchWorkload workload : suite.all()) {
            Optional<Long> ownEnd = end.map(all -> endOfShare(left, all));
            results.add(run(workload, workload.within(schedule), ownEnd));
            left.remove(0);
        }
        return new SuiteResult(suite, schedule, results);
    }

    /** The moment when the first of these workloads has used its share of the time that is left for all of them. */
    private static long endOfShare(List<BenchWorkload> left, long end) {
        int all = left.stream().mapToInt(BenchWorkload::share).sum();
        long now = System.nanoTime();
        return now + Math.max(0, end - now) / all * left.get(0).share();
    }

    private WorkloadResult run(BenchWorkload workload, Schedule own, Optional<Long> end) throws InterruptedException {
        WorkloadResult result = new WorkloadResult(workload);
        Map<Contender, BenchWorkload.ContenderRun> runs = new LinkedHashMap<>();
        Optional<Long> elastic = workload.benefitsFromMoreRounds() ? end : Optional.empty();
        try {
            int known = elastic.isPresent() ? 0 : own.rounds();
            progress.at(workload.name(), 0, known);
            for (Contender contender : workload.contenders()) {
                prepare(workload, contender, result).ifPresent(run -> runs.put(contender, run));
            }
            warmUp(runs, result, own, elastic);
            Rounds rounds = new Rounds(own.rounds(), elastic);
            for (int round = 1; rounds.another(); round++) {
                progress.at(workload.name(), round, known);
                for (Map.Entry<Contender, BenchWorkload.ContenderRun> run : runs.entrySet()) {
                    turn(run.getKey(), run.getValue(), result, own.turn())
                            .ifPresent(sample -> result.add(run.getKey(), sample));
                }
            }
        } finally {
            runs.forEach((contender, run) -> close(contender, run, result));
        }
        return result;
    }

    /** A number of repetitions: at least a minimum, and then as many as fit before a deadline. */
    private static final class Rounds {
        private final int minimum;
        private final Optional<Long> end;
        private long lastBegan;
        private int begun;

        Rounds(int minimum, Optional<Long> end) {
            this.minimum = minimum;
            this.end = end;
        }

        /**
         * Whether to start another repetition. It does not start if, taking as long as the last one, it would end after
         * the deadline.
         */
        boolean another() {
            long now = System.nanoTime();
            long last = begun == 0 ? 0 : now - lastBegan;
            lastBegan = now;
            return begun++ < minimum || (begun <= MAX_ROUNDS && end.isPresent() && now + last - end.get() < 0);
        }
    }

    private static Optional<BenchWorkload.ContenderRun> prepare(
            BenchWorkload workload, Contender contender, WorkloadResult result) {
        try {
            return Optional.of(workload.prepare(contender));
        } catch (RuntimeException e) {
            result.failed(contender, "it could not be opened: " + e);
            return Optional.empty();
        }
    }

    /**
     * Warms up all contenders with the same number of turns. If one of them keeps the JIT compiler busy, all get more
     * turns, because compilation takes processor time from all of them. After each turn it waits until the compiler is
     * idle. With a time limit, a part of the time is for warming up, and it does not wait for the compiler.
     */
    private void warmUp(
            Map<Contender, BenchWorkload.ContenderRun> runs, WorkloadResult result, Schedule own, Optional<Long> end)
            throws InterruptedException {
        Rounds rounds = new Rounds(
                own.warmUps(), end.map(moment -> System.nanoTime() + (moment - System.nanoTime()) / WARM_UP_DIVISOR));
        boolean busy = false;
        for (int i = 0; rounds.another() || (end.isEmpty() && busy && i < MAX_WARM_UPS * own.warmUps()); i++) {
            busy = false;
            for (Map.Entry<Contender, BenchWorkload.ContenderRun> run : runs.entrySet()) {
                long compiled = compiledMillis.getAsLong();
                turn(run.getKey(), run.getValue(), result, own.turn());
                long spent = compiledMillis.getAsLong() - compiled;
                busy |= spent * BUSY > own.turn().toMillis();
                if (end.isEmpty()) {
                    JitActivity.awaitQuiet(own.turn(), compiledMillis);
                }
            }
        }
    }

    private Optional<Sample> turn(
            Contender contender, BenchWorkload.ContenderRun run, WorkloadResult result, Duration length)
            throws InterruptedException {
        if (result.failureOf(contender.name()).isPresent()) {
            return Optional.empty();
        }
        try {
            CpuSteal before = stolen.get();
            Sample sample = run.turn(length);
            return Optional.of(sample.with(Metric.CPU_STEAL, stolen.get().partSince(before)));
        } catch (RuntimeException e) {
            result.failed(contender, reason(e));
            return Optional.empty();
        }
    }

    private static void close(Contender contender, BenchWorkload.ContenderRun run, WorkloadResult result) {
        try {
            run.close();
        } catch (RuntimeException e) {
            // The first failure explains more than the failure to close.
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
