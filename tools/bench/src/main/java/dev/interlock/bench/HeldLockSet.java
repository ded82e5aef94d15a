package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Many locks of one contender, held until the process ends. The process does nothing else, so that all heap growth
 * belongs to the locks.
 */
final class HeldLockSet {
    /** Threads that acquire. Enough to be fast, few enough not to affect the result. */
    private static final int HOLDERS = 16;

    /** Locks acquired and released first, so that one-time allocations are not attributed to the locks. */
    private static final int BEFOREHAND = 1000;

    private HeldLockSet() {}

    /**
     * The names of the locks of a workload. Each workload has its own, because locks of an earlier one may still be
     * held.
     */
    static List<String> names(String workload, int locks) {
        return names(workload, "-", locks);
    }

    private static List<String> names(String workload, String infix, int locks) {
        return IntStream.range(0, locks)
                .mapToObj(number -> "bench:" + workload + infix + number)
                .toList();
    }

    /** Acquires all locks and measures what they cost. */
    static Footprint acquire(Contender contender, String workload, int locks) throws InterruptedException {
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        Locking locking = contender.opener().get();
        List<HolderThread> beforehand = holders(locking, names(workload, "-before-", BEFOREHAND));
        // Created before the first measurement: the names are not part of the cost either.
        List<HolderThread> holders = holders(locking, names(workload, locks));
        acquire(beforehand);
        HolderThread.release(beforehand);
        long heapBefore = HeapUsage.occupied();
        acquire(holders);
        long heap = HeapUsage.occupied() - heapBefore;
        int threads = ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore - HOLDERS;
        return new Footprint((double) heap / locks, threads);
    }

    private static List<HolderThread> holders(Locking locking, List<String> names) {
        List<HolderThread> holders = new ArrayList<>();
        for (int i = 0; i < HOLDERS; i++) {
            holders.add(new HolderThread(
                    locking,
                    IntStream.iterate(i, number -> number < names.size(), number -> number + HOLDERS)
                            .mapToObj(names::get)
                            .toList()));
        }
        return holders;
    }

    private static void acquire(List<HolderThread> holders) throws InterruptedException {
        holders.forEach(HolderThread::start);
        for (HolderThread holder : holders) {
            holder.awaitAcquired();
        }
    }

    /**
     * What held locks cost.
     *
     * @param heapBytes per lock
     * @param threads for all locks
     */
    record Footprint(double heapBytes, int threads) {
        @Override
        public String toString() {
            return heapBytes + " " + threads;
        }

        static Footprint parse(String text) {
            int blank = text.indexOf(' ');
            return new Footprint(
                    Double.parseDouble(text.substring(0, blank)), Integer.parseInt(text.substring(blank + 1)));
        }
    }
}
