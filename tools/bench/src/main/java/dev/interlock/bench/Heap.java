package dev.interlock.bench;

import com.sun.management.GarbageCollectorMXBean;
import com.sun.management.GcInfo;
import java.lang.management.ManagementFactory;
import java.lang.management.MemoryPoolMXBean;
import java.lang.management.MemoryType;
import java.util.Comparator;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.locks.LockSupport;

/** How much of the heap is in use. */
final class Heap {
    private static final int MOST_COLLECTIONS = 10;
    private static final long SETTLED_BYTES = 16 * 1024;
    private static final long PAUSE_NANOS = 20_000_000;

    private static final List<String> POOLS = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .toList();

    private Heap() {}

    /** What is left after collecting until nothing more goes away: one collection may find references that the next one clears. */
    static long occupied() {
        long before = collect();
        for (int i = 1; i < MOST_COLLECTIONS; i++) {
            // Time for the threads that clear what references told them.
            LockSupport.parkNanos(PAUSE_NANOS);
            long after = collect();
            if (before - after < SETTLED_BYTES) {
                return after;
            }
            before = after;
        }
        return before;
    }

    /**
     * As the collector left it. What is in use a moment later is more by a megabyte or two, since every thread that goes on
     * reserves room for what it may allocate.
     */
    private static long collect() {
        System.gc();
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(GarbageCollectorMXBean.class::isInstance)
                .map(bean -> ((GarbageCollectorMXBean) bean).getLastGcInfo())
                .filter(Objects::nonNull)
                .max(Comparator.comparingLong(GcInfo::getEndTime))
                .map(Heap::afterwards)
                .orElseGet(() ->
                        ManagementFactory.getMemoryMXBean().getHeapMemoryUsage().getUsed());
    }

    private static long afterwards(GcInfo collection) {
        return collection.getMemoryUsageAfterGc().entrySet().stream()
                .filter(pool -> POOLS.contains(pool.getKey()))
                .mapToLong(pool -> pool.getValue().getUsed())
                .sum();
    }
}
