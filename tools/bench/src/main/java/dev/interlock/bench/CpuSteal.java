package dev.interlock.bench;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;

/**
 * CPU steal: the processor time that the host of a virtual machine withheld while a thread was ready to run.
 *
 * <p>Linux reports it in hundredths of a second. On other systems it is unknown and counts as zero.
 */
final class CpuSteal {
    /** Used where the system does not report it. */
    static final CpuSteal UNKNOWN = new CpuSteal(0, 0);

    private static final Path STATISTICS = Path.of("/proc/stat");

    /**
     * The column of {@code steal} after the word {@code cpu}: user, nice, system, idle, iowait, irq, softirq, steal.
     * The later columns are already included in user and nice.
     */
    private static final int STEAL = 7;

    private final long stolen;
    private final long all;

    private CpuSteal(long stolen, long all) {
        this.stolen = stolen;
        this.all = all;
    }

    static CpuSteal now() {
        try {
            return Files.isReadable(STATISTICS)
                    ? of(Files.readAllLines(STATISTICS).get(0))
                    : UNKNOWN;
        } catch (IOException e) {
            return UNKNOWN;
        }
    }

    /** Parses the first line of {@code /proc/stat}. */
    static CpuSteal of(String line) {
        long[] times = Arrays.stream(line.split(" +", -1))
                .skip(1)
                .limit(STEAL + 1)
                .mapToLong(Long::parseLong)
                .toArray();
        return new CpuSteal(
                times.length > STEAL ? times[STEAL] : 0, Arrays.stream(times).sum());
    }

    /** The fraction of the time of all processors that was stolen since an earlier reading. */
    double partSince(CpuSteal earlier) {
        return all == earlier.all ? 0 : (double) (stolen - earlier.stolen) / (all - earlier.all);
    }
}
