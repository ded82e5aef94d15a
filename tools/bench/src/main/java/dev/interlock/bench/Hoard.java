package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;

/**
 * Many locks of one contender, which are held until the process ends. In a process that does nothing else, so that what is
 * on the heap is theirs.
 */
final class Hoard {
    /** So many threads acquire: enough that it does not take long, few enough that they do not count. */
    private static final int HOLDERS = 16;

    /** Acquired and released before, so that what is made once is not counted as theirs. */
    private static final int BEFOREHAND = 1000;

    private Hoard() {}

    /** The names of those of a workload: its own, since the locks of a workload before it may still be held. */
    static List<String> names(String workload, int locks) {
        return names(workload, "-", locks);
    }

    private static List<String> names(String workload, String infix, int locks) {
        return IntStream.range(0, locks)
                .mapToObj(number -> "bench:" + workload + infix + number)
                .toList();
    }

    /** Acquires them. */
    static Footprint acquire(Contender contender, String workload, int locks) throws InterruptedException {
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        Locking locking = contender.opener().get();
        List<Holder> beforehand = holders(locking, names(workload, "-before-", BEFOREHAND));
        // Their names are not the locks' own either.
        List<Holder> holders = holders(locking, names(workload, locks));
        acquire(beforehand);
        Holder.release(beforehand);
        long heapBefore = Heap.occupied();
        acquire(holders);
        long heap = Heap.occupied() - heapBefore;
        int threads = ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore - HOLDERS;
        return new Footprint((double) heap / locks, threads);
    }

    private static List<Holder> holders(Locking locking, List<String> names) {
        List<Holder> holders = new ArrayList<>();
        for (int i = 0; i < HOLDERS; i++) {
            holders.add(new Holder(
                    locking,
                    IntStream.iterate(i, number -> number < names.size(), number -> number + HOLDERS)
                            .mapToObj(names::get)
                            .toList()));
        }
        return holders;
    }

    private static void acquire(List<Holder> holders) throws InterruptedException {
        holders.forEach(Holder::start);
        for (Holder holder : holders) {
            holder.awaitAcquired();
        }
    }

    /**
     * What held locks take.
     *
     * @param heapBytes for each
     * @param threads for all
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
