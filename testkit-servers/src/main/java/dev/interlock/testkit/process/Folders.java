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

/** Temporary folders that go away with this JVM. */
public final class Folders {
    private static final int TRIES = 100;
    private static final long PAUSE_NANOS = 20_000_000;

    private Folders() {}

    /** A new folder under the system's temporary one; the {@link Keeper} deletes it when this JVM has ended. */
    public static Path temporary(String prefix) {
        try {
            Path folder = Files.createTempDirectory("interlock-" + prefix + "-");
            // A server that refuses to run as root runs as somebody else, who has to get in.
            Files.setPosixFilePermissions(folder, PosixFilePermissions.fromString("rwxr-xr-x"));
            Keeper.ofThisJvm().cleanUp(folder);
            return folder;
        } catch (IOException e) {
            throw new UncheckedIOException("Could not make a temporary folder", e);
        }
    }

    /** Deletes a folder with all that is in it; a server that is just dying may still write into it, so this tries again. */
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
