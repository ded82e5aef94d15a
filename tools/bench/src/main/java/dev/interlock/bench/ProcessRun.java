package dev.interlock.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one contender in a {@link ProcessWorkload}.
 *
 * <p>If the processes were replaced since its last turn, because one of them ended, the contender is opened and warmed
 * up again.
 */
final class ProcessRun implements BenchWorkload.ContenderRun {
    /**
     * The length of the warm-up before the first turn, as a multiple of a turn. The processes are new, and a contended
     * lock gives the JIT compiler little code to compile.
     */
    private static final int WARM_UP = 2;

    private final String id;
    private final Contender contender;
    private final ProcessWorkload workload;
    private final Path file;
    private final Counters counters;
    private final ServerUsage use;
    private List<BenchProcess> processes = List.of();
    private boolean warm;

    ProcessRun(Contender contender, ProcessWorkload workload) {
        this.id = workload.name() + '.' + contender.name();
        this.contender = contender;
        this.workload = workload;
        this.file = workload.processPool().file();
        this.counters = SharedCounters.in(file);
        this.use = new ServerUsage(contender);
        try {
            openIfReplaced();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException(id + " was interrupted", e);
        }
    }

    private void openIfReplaced() throws InterruptedException {
        List<BenchProcess> now = workload.processPool().take(workload.processes());
        if (!now.equals(processes)) {
            processes = now;
            warm = false;
            send(process -> "open " + id + ' ' + contender.name() + ' '
                    + workload.task().words(file, process));
        }
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        openIfReplaced();
        if (!warm) {
            warm = true;
            warmUp(length);
        }
        use.begin();
        List<String> tallies = tallies(length);
        return ProcessTally.sample(
                tallies.stream().map(ProcessTally::decode).toList(),
                workload.task().counted(counters),
                use.end());
    }

    /** All processes begin and end this together: a hand-off worker needs the other side. */
    private void warmUp(Duration length) throws InterruptedException {
        all("warm", length.multipliedBy(WARM_UP).toString());
        if (workload.task() instanceof ProcessWorkload.Task.HandOff task) {
            all("fast", "true");
            tallies(length.multipliedBy(task.fastTurns()));
            all("fast", "false");
        }
    }

    private List<String> tallies(Duration length) throws InterruptedException {
        counters.reset();
        @Nullable BenchException failure = null;
        try {
            all("begin");
            all("count");
            Thread.sleep(length.toMillis());
        } catch (BenchException e) {
            failure = e;
        }
        List<String> tallies;
        try {
            tallies = all("end");
        } catch (BenchException e) {
            throw failure == null ? e : failure;
        }
        if (failure != null) {
            throw failure;
        }
        return tallies;
    }

    private List<String> all(String command, String... more) throws InterruptedException {
        String words = command + ' ' + id + ' ' + String.join(" ", more);
        return send(process -> words.strip());
    }

    private List<String> send(IntFunction<String> command) throws InterruptedException {
        try {
            for (int process = 0; process < processes.size(); process++) {
                processes.get(process).send(command.apply(process));
            }
            return answers();
        } catch (BenchException e) {
            workload.processPool().closeIfOneHasEnded();
            throw e;
        }
    }

    /**
     * Reads one answer from each process, even if one reports a failure; an unread answer would be taken for the answer
     * to the next command. If a process has ended, the others are not read, because there will be no next command.
     */
    private List<String> answers() throws InterruptedException {
        List<String> answers = new ArrayList<>();
        @Nullable BenchException failure = null;
        for (BenchProcess each : processes) {
            try {
                answers.add(each.answer());
            } catch (BenchException e) {
                if (each.hasEnded()) {
                    throw e;
                }
                failure = failure == null ? e : failure;
            }
        }
        if (failure != null) {
            throw failure;
        }
        return answers;
    }

    @Override
    public void close() {
        try {
            all("close");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } catch (BenchException e) {
            // The measurements are still valid, and the processes end with the suite.
        }
    }
}
