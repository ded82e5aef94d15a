package dev.interlock.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The turns of one contender at a {@link ProcessWorkload}. */
final class ProcessBout implements Workload.Bout {
    /** Before the first turn, and so many times as long: processes are young, and a hot lock shows the compiler little. */
    private static final int WARM_UP = 2;

    private final String id;
    private final ProcessWorkload workload;
    private final List<Child> children;
    private final Counters counters;
    private final ServerUse use;
    private boolean warm;

    ProcessBout(Contender contender, ProcessWorkload workload) {
        this.id = workload.name() + '.' + contender.name();
        this.workload = workload;
        this.children = workload.children().take(workload.processes());
        Path file = workload.children().file();
        this.counters = SharedCounters.in(file);
        this.use = new ServerUse(contender);
        open(contender, file);
    }

    private void open(Contender contender, Path file) {
        for (int i = 0; i < children.size(); i++) {
            children.get(i)
                    .tell("open " + id + ' ' + contender.name() + ' '
                            + workload.task().words(file, i));
        }
        try {
            answers();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException(id + " was interrupted", e);
        }
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        if (!warm) {
            warm = true;
            warmUp(length.multipliedBy(WARM_UP));
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
        all("warm", length.toString());
        if (workload.task() instanceof ProcessWorkload.Task.HandOff) {
            all("hurry", "true");
            tallies(length);
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
        children.forEach(child -> child.tell(words.strip()));
        return answers();
    }

    /** One answer from each, even if one of them is that it failed: what is not fetched now would answer the next order. */
    private List<String> answers() throws InterruptedException {
        List<String> answers = new ArrayList<>();
        @Nullable BenchException failure = null;
        for (Child child : children) {
            try {
                answers.add(child.answer());
            } catch (BenchException e) {
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
