package dev.interlock.bench;

import dev.interlock.testkit.process.Folders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The processes that the workloads of a suite share. They start on first use.
 *
 * <p>Each process contains all contenders, which take turns in it. If one process ends, all are replaced, because
 * outstanding answers of the others would be read as answers to later commands. Used by one thread.
 */
public final class BenchProcesses implements AutoCloseable {
    private final Class<? extends ContenderSource> source;
    private final Supplier<String> address;
    private final Duration lease;
    private final List<String> options;
    private final List<BenchProcess> started = new ArrayList<>();
    private @Nullable Path folder;
    private int files;
    private int logs;

    /**
     * Processes with the contenders of this source.
     *
     * @param address asked for when the first process starts
     * @param lease length of a lease that is not renewed
     * @param options JVM options
     */
    public BenchProcesses(
            Class<? extends ContenderSource> source, Supplier<String> address, Duration lease, List<String> options) {
        this.source = source;
        this.address = address;
        this.lease = lease;
        this.options = List.copyOf(options);
    }

    /** Returns this many processes. They are new ones if a process has ended. */
    List<BenchProcess> take(int count) {
        closeIfOneHasEnded();
        while (started.size() < count) {
            Path log = folder().resolve("process-" + logs++ + ".log");
            started.add(BenchProcess.start(source, address.get(), lease, options, log));
        }
        return List.copyOf(started.subList(0, count));
    }

    /** Ends all processes if one has ended, so that the next call of {@link #take} starts new ones. */
    void closeIfOneHasEnded() {
        if (started.stream().anyMatch(BenchProcess::hasEnded)) {
            close();
        }
    }

    /** Returns a new file for data that processes share. */
    Path file() {
        return folder().resolve("shared-" + files++);
    }

    private Path folder() {
        Path known = folder;
        if (known == null) {
            known = Folders.temporary("bench");
            folder = known;
        }
        return known;
    }

    @Override
    public void close() {
        started.forEach(BenchProcess::close);
        started.clear();
    }
}
