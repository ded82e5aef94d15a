package dev.interlock.bench;

import dev.interlock.testkit.process.Folders;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * The processes that the workloads of a suite share; started when they are first needed.
 *
 * <p>Each has all contenders in it, so that these take turns within the same processes. If one of them is gone, all are replaced: what
 * the others still have to answer would be taken for answers to what they are told next. Used by one thread.
 */
public final class Children implements AutoCloseable {
    private final Class<? extends ContenderSource> source;
    private final Supplier<String> address;
    private final Duration lease;
    private final List<String> options;
    private final List<Child> started = new ArrayList<>();
    private @Nullable Path folder;
    private int files;
    private int logs;

    /**
     * Processes with the contenders of this source.
     *
     * @param address asked for when the first one is started
     * @param lease how long a lock is held that is not renewed
     * @param options of the virtual machine
     */
    public Children(
            Class<? extends ContenderSource> source, Supplier<String> address, Duration lease, List<String> options) {
        this.source = source;
        this.address = address;
        this.lease = lease;
        this.options = List.copyOf(options);
    }

    /** So many of them; others than before if one was gone. */
    List<Child> take(int count) {
        endIfOneIsGone();
        while (started.size() < count) {
            Path log = folder().resolve("child-" + logs++ + ".log");
            started.add(Child.start(source, address.get(), lease, options, log));
        }
        return List.copyOf(started.subList(0, count));
    }

    /** Ends all of them if one is gone, so that the next who needs some has new ones. */
    void endIfOneIsGone() {
        if (started.stream().anyMatch(Child::isGone)) {
            close();
        }
    }

    /** A file that nobody else uses, for what processes share. */
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
        started.forEach(Child::close);
        started.clear();
    }
}
