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
 * Runs a suite: in every round of a workload each contender has one turn, always in the same order.
 *
 * <p>A contender that fails, in whatever way, is out of its workload and stays in the report; the others go on.
 */
public final class SuiteRunner {
    /** The compiler is busy if it works for a tenth of a turn. */
    private static final int BUSY = 10;

    private static final int MOST_WARM_UPS = 2;

    /** Where time is limited, this part of it is for warming up, */
    private static final int WARM_UP_PART = 4;

    /** and more rounds than this say nothing new. */
    private static final int MOST_ROUNDS = 200;

    private final Schedule schedule;
    private final Progress progress;
    private final LongSupplier compiledMillis;
    private final Supplier<StolenTime> stolen;

    /** With this schedule, telling its progress. */
    public SuiteRunner(Schedule schedule, Progress progress) {
        this(schedule, progress, Compilation::spentMillis, StolenTime::now);
    }

    /** With other clocks of the compiler and of the host. */
    SuiteRunner(Schedule schedule, Progress progress, LongSupplier compiledMillis, Supplier<StolenTime> stolen) {
        this.schedule = schedule;
        this.progress = progress;
        this.compiledMillis = compiledMillis;
        this.stolen = stolen;
    }

    /** Runs all workloads, one after the other. */
    public SuiteResult run(Suite suite) throws InterruptedException {
        List<WorkloadResult> results = new ArrayList<>();
        List<Workload> left = new ArrayList<>(suite.all());
        Optional<Long> end = schedule.total().map(total -> System.nanoTime() + total.toNanos());
        for (Workload workload : suite.all()) {
            Optional<Long> ownEnd = end.map(all -> endOfShare(left, all));
            results.add(run(workload, workload.within(schedule), ownEnd));
            left.remove(0);
        }
        return new SuiteResult(suite, schedule, results);
    }

    /** When the first of these has used up its share of the time that is left for all of them. */
    private static long endOfShare(List<Workload> left, long end) {
        int all = left.stream().mapToInt(Workload::share).sum();
        long now = System.nanoTime();
        return now + Math.max(0, end - now) / all * left.get(0).share();
    }

    private WorkloadResult run(Workload workload, Schedule own, Optional<Long> end) throws InterruptedException {
        WorkloadResult result = new WorkloadResult(workload);
        Map<Contender, Workload.Bout> bouts = new LinkedHashMap<>();
        Optional<Long> elastic = workload.gainsByRounds() ? end : Optional.empty();
        try {
            int known = elastic.isPresent() ? 0 : own.rounds();
            progress.at(workload.name(), 0, known);
            for (Contender contender : workload.contenders()) {
                prepare(workload, contender, result).ifPresent(bout -> bouts.put(contender, bout));
            }
            warmUp(bouts, result, own, elastic);
            Rounds rounds = new Rounds(own.rounds(), elastic);
            for (int round = 1; rounds.another(); round++) {
                progress.at(workload.name(), round, known);
                for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                    turn(bout.getKey(), bout.getValue(), result, own.turn())
                            .ifPresent(sample -> result.add(bout.getKey(), sample));
                }
            }
        } finally {
            bouts.forEach((contender, bout) -> close(contender, bout, result));
        }
        return result;
    }

    /** How often something is done: so many times, and as often as it can be done by a certain moment. */
    private static final class Rounds {
        private final int least;
        private final Optional<Long> end;
        private long lastBegan;
        private int begun;

        Rounds(int least, Optional<Long> end) {
            this.least = least;
            this.end = end;
        }

        /** Whether there is another one; one that would take as long as the last one, or longer, is not begun if it would come too late. */
        boolean another() {
            long now = System.nanoTime();
            long last = begun == 0 ? 0 : now - lastBegan;
            lastBegan = now;
            return begun++ < least || (begun <= MOST_ROUNDS && end.isPresent() && now + last - end.get() < 0);
        }
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
     * what it has not seen to yet is slow. After each turn it is left alone until it is done. Where time is limited, a part of it is for warming up, and nobody waits for the compiler.
     */
    private void warmUp(Map<Contender, Workload.Bout> bouts, WorkloadResult result, Schedule own, Optional<Long> end)
            throws InterruptedException {
        Rounds rounds = new Rounds(
                own.warmUps(), end.map(moment -> System.nanoTime() + (moment - System.nanoTime()) / WARM_UP_PART));
        boolean busy = false;
        for (int i = 0; rounds.another() || (end.isEmpty() && busy && i < MOST_WARM_UPS * own.warmUps()); i++) {
            busy = false;
            for (Map.Entry<Contender, Workload.Bout> bout : bouts.entrySet()) {
                long compiled = compiledMillis.getAsLong();
                turn(bout.getKey(), bout.getValue(), result, own.turn());
                long spent = compiledMillis.getAsLong() - compiled;
                busy |= spent * BUSY > own.turn().toMillis();
                if (end.isEmpty()) {
                    Compilation.awaitQuiet(own.turn(), compiledMillis);
                }
            }
        }
    }

    private Optional<Sample> turn(Contender contender, Workload.Bout bout, WorkloadResult result, Duration length)
            throws InterruptedException {
        if (result.failureOf(contender.name()).isPresent()) {
            return Optional.empty();
        }
        try {
            StolenTime before = stolen.get();
            Sample sample = bout.turn(length);
            return Optional.of(sample.with(Metric.STOLEN, stolen.get().partSince(before)));
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
