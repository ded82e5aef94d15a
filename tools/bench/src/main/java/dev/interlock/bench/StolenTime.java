package dev.interlock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * How much time the host of a virtual machine has taken from its processors until some moment: time in which somebody wanted to run and could not.
 *
 * <p>Linux tells it, in hundredths of a second. Elsewhere nothing is known, and nothing counts as stolen.
 */
final class StolenTime {
    /** Where nothing is known. */
    static final StolenTime UNKNOWN = new StolenTime(0, 0);

    private static final Path STATISTICS = Path.of("/proc/stat");

    /** Where it stands behind the word {@code cpu}: user, nice, system, idle, iowait, irq, softirq, steal. What follows is part of user and nice. */
    private static final int STEAL = 7;

    private final long stolen;
    private final long all;

    private StolenTime(long stolen, long all) {
        this.stolen = stolen;
        this.all = all;
    }

    static StolenTime now() {
        try {
            return Files.isReadable(STATISTICS)
                    ? of(Files.readAllLines(STATISTICS).get(0))
                    : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** As the first line of {@code /proc/stat} says. */
    static StolenTime of(String line) {
        long[] times = Arrays.stream(line.split(" +", -1))
                .skip(1)
                .limit(STEAL + 1)
                .mapToLong(Long::parseLong)
                .toArray();
        return new StolenTime(
                times.length > STEAL ? times[STEAL] : 0, Arrays.stream(times).sum());
    }

    /** Which part of all processors' time was stolen since an earlier moment. */
    double partSince(StolenTime earlier) {
        return all == earlier.all ? 0 : (double) (stolen - earlier.stolen) / (all - earlier.all);
    }
}
