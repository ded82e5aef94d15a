package dev.interlock.internal.runtime;

import java.io.File;
import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Measures how long the host was suspended, which {@code System.nanoTime} does not count.
 *
 * <p>If the kernel reports its uptime including suspend, that is compared with {@code nanoTime}, and a step of the
 * wall clock changes nothing. Otherwise the wall clock is used: a forward step then appears as a suspend and ends
 * leases early, which is the safe side.
 */
final class BootClock implements AutoCloseable {
    /** Smaller gaps are the granularity of the clocks, not a suspend. */
    private static final long NOISE_NANOS = 100_000_000;

    private static final File UPTIME = new File("/proc/uptime");

    private final ReentrantLock mutex = new ReentrantLock();
    // Not a FileChannel: an interrupted reader would close it for all readers.
    private final @Nullable RandomAccessFile uptime;
    private final byte[] buffer = new byte[32];
    private final long startGap;
    private volatile long suspendedNanos;

    BootClock() {
        this.uptime = open();
        this.startGap = readNanos() - System.nanoTime();
    }

    /** The suspended time noticed so far. */
    long suspendedNanos() {
        return suspendedNanos;
    }

    /** Compares the clocks now. */
    long notice() {
        mutex.lock();
        try {
            long gap = readNanos() - System.nanoTime() - startGap;
            if (gap - suspendedNanos > NOISE_NANOS) {
                suspendedNanos = gap;
            }
            return suspendedNanos;
        } finally {
            mutex.unlock();
        }
    }

    private long readNanos() {
        if (uptime != null) {
            try {
                uptime.seek(0);
                int length = uptime.read(buffer);
                String text = new String(buffer, 0, Math.max(0, length), StandardCharsets.US_ASCII);
                return (long) (Double.parseDouble(text.substring(0, text.indexOf(' '))) * 1e9);
            } catch (IOException | RuntimeException unreadable) {
                // Uses the last reading: no gap is noticed, so no lease is lost by mistake.
                return System.nanoTime() + startGap + suspendedNanos;
            }
        }
        return System.currentTimeMillis() * 1_000_000;
    }

    private static @Nullable RandomAccessFile open() {
        try {
            return UPTIME.canRead() ? new RandomAccessFile(UPTIME, "r") : null;
        } catch (IOException e) {
            return null;
        }
    }

    @Override
    public void close() {
        mutex.lock();
        try {
            if (uptime != null) {
                uptime.close();
            }
        } catch (IOException e) {
            System.getLogger("dev.interlock").log(System.Logger.Level.DEBUG, "Could not close the uptime file", e);
        } finally {
            mutex.unlock();
        }
    }
}
