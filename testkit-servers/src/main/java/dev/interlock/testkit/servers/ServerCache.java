package dev.interlock.testkit.servers;

import dev.interlock.testkit.process.Folders;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.channels.FileChannel;
import java.nio.channels.FileLock;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.concurrent.locks.ReentrantLock;

/**
 * Unpacked servers, one folder each, kept between runs.
 *
 * <p>Invariant: a folder is complete or absent. It is filled under another name and then renamed, by one process at a
 * time. Names contain versions, so an entry never changes.
 */
final class ServerCache {
    /** The variable with the folder of the cache, if it is not the default one. */
    static final String VARIABLE = "INTERLOCK_TEST_CACHE";

    /** Two threads of one JVM must not request the same file lock: Java throws instead of waiting. */
    private static final ReentrantLock FILLING = new ReentrantLock();

    private ServerCache() {}

    /** Fills the empty folder of an entry. */
    interface Filling {
        void into(Path folder) throws IOException;
    }

    /** Returns the folder with this name; fills it if it does not exist. */
    static Path entry(String name, Filling filling) {
        Path entry = root().resolve(name);
        if (Files.isDirectory(entry)) {
            return entry;
        }
        FILLING.lock();
        try {
            Files.createDirectories(root());
            try (FileChannel file = FileChannel.open(
                            root().resolve(name + ".lock"), StandardOpenOption.CREATE, StandardOpenOption.WRITE);
                    FileLock onlyOne = file.lock()) {
                if (!Files.isDirectory(entry)) {
                    fill(entry, filling);
                }
            }
            return entry;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not unpack " + name + " into " + root(), e);
        } finally {
            FILLING.unlock();
        }
    }

    private static void fill(Path entry, Filling filling) throws IOException {
        Path unfinished = entry.resolveSibling(entry.getFileName() + ".unfinished");
        Folders.delete(unfinished);
        Files.createDirectories(unfinished);
        filling.into(unfinished);
        Files.move(unfinished, entry, StandardCopyOption.ATOMIC_MOVE);
    }

    /**
     * Root's home is not readable for the user that a PostgreSQL server runs as, so root's cache is in a public folder.
     */
    private static Path root() {
        String chosen = System.getenv(VARIABLE);
        if (chosen != null && !chosen.isBlank()) {
            return Path.of(chosen).toAbsolutePath();
        }
        if (Root.isRoot()) {
            return Path.of("/var/cache/interlock-testkit");
        }
        String caches = System.getenv("XDG_CACHE_HOME");
        return (caches == null || caches.isBlank()
                        ? Path.of(System.getProperty("user.home"), ".cache")
                        : Path.of(caches))
                .resolve("interlock-testkit");
    }
}
