package dev.interlock.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;

/**
 * A wall clock that a test can step while the program runs. The clock for elapsed time is not changed, as when a time
 * service corrects a host.
 *
 * <p>It works for programs that get the time from libc: PostgreSQL, MariaDB, MySQL, Redis 6.2 and a JVM. It has no
 * effect on a statically linked program. Only one thread at a time may step it.
 *
 * @since 0.1.0
 */
public final class ServerClock {
    private final Path offsetFile;
    private volatile Duration offset = Duration.ZERO;

    ServerClock(Path folder) {
        this.offsetFile = folder.resolve("clock-offset");
        write();
    }

    /**
     * Creates a clock for a JVM or another program that the test starts itself. Its offset is stored in this folder.
     */
    public static ServerClock in(Path folder) {
        return new ServerClock(folder);
    }

    /** The environment variables that put a program on this clock. */
    public Map<String, String> variables() {
        return Map.of(
                "LD_PRELOAD",
                DebianPackages.libraries("libfaketime")
                        .resolve("faketime/libfaketimeMT.so.1")
                        .toString(),
                "FAKETIME_TIMESTAMP_FILE",
                offsetFile.toString(),
                "FAKETIME_NO_CACHE",
                "1",
                "FAKETIME_DONT_FAKE_MONOTONIC",
                "1");
    }

    /** Steps the clock forward, or back if the step is negative. Steps add up. */
    public void step(Duration by) {
        offset = offset.plus(by);
        write();
    }

    /** By how much the clock is ahead of the host's. */
    public Duration offset() {
        return offset;
    }

    /** Deletes the shared memory in which a killed program stored the time. */
    static void forget(long pid) {
        try {
            Files.deleteIfExists(Path.of("/dev/shm/faketime_shm_" + pid));
            Files.deleteIfExists(Path.of("/dev/shm/sem.faketime_sem_" + pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Renamed into place, so that the program never reads an incomplete number. */
    private void write() {
        try {
            Path next = offsetFile.resolveSibling("clock-offset.next");
            Files.writeString(next, String.format(Locale.ROOT, "%+.3f%n", offset.toMillis() / 1000.0));
            Files.move(next, offsetFile, StandardCopyOption.ATOMIC_MOVE);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
