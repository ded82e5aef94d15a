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
 * A wall clock that a test can step while the program runs. The clock for elapsed time is left alone, as when a time
 * service sets a host right.
 *
 * <p>It works for programs that ask libc for the time: PostgreSQL, MariaDB, MySQL, Redis 6.2 and a JVM. A statically linked program
 * does not notice it. One thread at a time steps it.
 */
public final class ServerClock {
    private final Path offsetFile;
    private volatile Duration offset = Duration.ZERO;

    ServerClock(Path folder) {
        this.offsetFile = folder.resolve("clock-offset");
        write();
    }

    /** A clock for a JVM or another program that the test starts by itself; its setting is kept in this folder. */
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

    /** Steps the clock, forward or (with a negative step) back; steps add up. */
    public void step(Duration by) {
        offset = offset.plus(by);
        write();
    }

    /** By how much the clock is ahead of the host's. */
    public Duration offset() {
        return offset;
    }

    /** Deletes the shared memory in which a killed program remembered the time. */
    static void forget(long pid) {
        try {
            Files.deleteIfExists(Path.of("/dev/shm/faketime_shm_" + pid));
            Files.deleteIfExists(Path.of("/dev/shm/sem.faketime_sem_" + pid));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Renamed into place, so that the program never reads half a number. */
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
