package dev.interlock.testkit.process;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.Comparator;
import java.util.List;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;

/**
 * Temporary folders that are deleted when this JVM ends.
 *
 * @since 0.1.0
 */
public final class Folders {
    private static final int TRIES = 100;
    private static final long PAUSE_NANOS = 20_000_000;

    private Folders() {}

    /**
     * Creates a folder in the system's temporary folder. The {@link ProcessReaper} deletes it when this JVM has ended.
     */
    public static Path temporary(String prefix) {
        try {
            Path folder = Files.createTempDirectory("interlock-" + prefix + "-");
            // A server that refuses to run as root runs as another user, which needs access.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            ProcessReaper.ofThisJvm().cleanUp(folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not create a temporary folder", e);
        }
    }

    /** Deletes a folder and its content. It retries, because a dying server may still write to the folder. */
    public static void delete(Path folder) {
        for (int i = 1; ; i++) {
            try {
                deleteOnce(folder);
                return;
            } catch (IOException | UncheckedIOException e) {
                if (i == TRIES) {
                    throw new IllegalStateException("Could not delete " + folder, e);
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private static void deleteOnce(Path folder) throws IOException {
        List<Path> deepestFirst;
        try (Stream<Path> files = Files.walk(folder)) {
            deepestFirst = files.sorted(Comparator.reverseOrder()).toList();
        } catch (NoSuchFileException e) {
            return;
        }
        for (Path file : deepestFirst) {
            Files.deleteIfExists(file);
        }
    }
}
