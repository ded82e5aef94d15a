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

/** Measures the used heap. */
final class HeapUsage {
    private static final int MAX_COLLECTIONS = 10;
    private static final long SETTLED_BYTES = 16 * 1024;
    private static final long PAUSE_NANOS = 20_000_000;

    private static final List<String> POOLS = ManagementFactory.getMemoryPoolMXBeans().stream()
            .filter(pool -> pool.getType() == MemoryType.HEAP)
            .map(MemoryPoolMXBean::getName)
            .toList();

    private HeapUsage() {}

    /**
     * Returns the used heap after collecting until it no longer shrinks. One collection may find references that only
     * the next one clears.
     */
    static long occupied() {
        long before = collect();
        for (int i = 1; i < MAX_COLLECTIONS; i++) {
            // Gives reference handlers and cleaners time to run.
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
     * The used heap right after a collection. A moment later it is larger by a megabyte or two, because every running
     * thread reserves an allocation buffer.
     */
    private static long collect() {
        System.gc();
        return ManagementFactory.getGarbageCollectorMXBeans().stream()
                .filter(GarbageCollectorMXBean.class::isInstance)
                .map(bean -> ((GarbageCollectorMXBean) bean).getLastGcInfo())
                .filter(Objects::nonNull)
                .max(Comparator.comparingLong(GcInfo::getEndTime))
                .map(HeapUsage::afterwards)
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
