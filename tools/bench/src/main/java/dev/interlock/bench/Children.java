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
 * <p>Each has all contenders in it, so that these take turns within the same processes. Used by one thread.
 */
public final class Children implements AutoCloseable {
    private final Class<? extends ContenderSource> source;
    private final Supplier<String> address;
    private final Duration lease;
    private final List<String> options;
    private final List<Child> started = new ArrayList<>();
    private @Nullable Path folder;
    private int files;

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

    /** So many of them. */
    List<Child> take(int count) {
        while (started.size() < count) {
            Path log = folder().resolve("child-" + started.size() + ".log");
            started.add(Child.start(source, address.get(), lease, options, log));
        }
        return List.copyOf(started.subList(0, count));
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
