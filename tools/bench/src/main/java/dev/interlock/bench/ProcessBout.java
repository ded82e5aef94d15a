package dev.interlock.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.IntFunction;
import org.jspecify.annotations.Nullable;

/**
 * The turns of one contender at a {@link ProcessWorkload}.
 *
 * <p>If the processes were replaced since its last turn, because another contender was the end of one, it is opened and warmed up afresh.
 */
final class ProcessBout implements Workload.Bout {
    /** Before the first turn, and so many times as long: processes are young, and a hot lock shows the compiler little. */
    private static final int WARM_UP = 2;

    private final String id;
    private final Contender contender;
    private final ProcessWorkload workload;
    private final Path file;
    private final Counters counters;
    private final ServerUse use;
    private List<Child> children = List.of();
    private boolean warm;

    ProcessBout(Contender contender, ProcessWorkload workload) {
        this.id = workload.name() + '.' + contender.name();
        this.contender = contender;
        this.workload = workload;
        this.file = workload.children().file();
        this.counters = SharedCounters.in(file);
        this.use = new ServerUse(contender);
        try {
            openWhereMissing();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException(id + " was interrupted", e);
        }
    }

    private void openWhereMissing() throws InterruptedException {
        List<Child> now = workload.children().take(workload.processes());
        if (!now.equals(children)) {
            children = now;
            warm = false;
            tell(process -> "open " + id + ' ' + contender.name() + ' '
                    + workload.task().words(file, process));
        }
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        openWhereMissing();
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

    /** All processes begin and end together here too: a runner that had finished before the other one began would be missed by it. */
    private void warmUp(Duration length) throws InterruptedException {
        all("warm", length.multipliedBy(WARM_UP).toString());
        if (workload.task() instanceof ProcessWorkload.Task.HandOff task) {
            all("hurry", "true");
            tallies(length.multipliedBy(task.hurried()));
            all("hurry", "false");
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

    private List<String> all(String order, String... more) throws InterruptedException {
        String words = order + ' ' + id + ' ' + String.join(" ", more);
        return tell(process -> words.strip());
    }

    private List<String> tell(IntFunction<String> order) throws InterruptedException {
        try {
            for (int process = 0; process < children.size(); process++) {
                children.get(process).tell(order.apply(process));
            }
            return answers();
        } catch (BenchException e) {
            workload.children().endIfOneIsGone();
            throw e;
        }
    }

    /**
     * One answer from each, even if one of them is that it failed: what is not fetched now would answer the next order. If one is gone
     * nobody is waited for, since there will be no next order.
     */
    private List<String> answers() throws InterruptedException {
        List<String> answers = new ArrayList<>();
        @Nullable BenchException failure = null;
        for (Child child : children) {
            try {
                answers.add(child.answer());
            } catch (BenchException e) {
                if (child.isGone()) {
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
            // What it measured stands; the processes end with the suite anyway.
        }
    }
}
