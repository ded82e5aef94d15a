package dev.interlock.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** What each thread of the process had allocated on the heap at some moment since it began, where the JVM counts it. */
final class Allocation {
    private static final @Nullable ThreadMXBean THREADS =
            ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean && bean.isThreadAllocatedMemorySupported()
                    ? bean
                    : null;

    private final long[] threads;
    private final long[] bytes;

    private Allocation(long[] threads, long[] bytes) {
        this.threads = threads;
        this.bytes = bytes;
    }

    static boolean isMeasured() {
        return THREADS != null;
    }

    static Allocation now() {
        long[] threads = THREADS == null ? new long[0] : THREADS.getAllThreadIds();
        return new Allocation(threads, THREADS == null ? new long[0] : THREADS.getThreadAllocatedBytes(threads));
    }

    /** What threads have allocated since an earlier moment. Of those that have ended in between nothing is known. */
    long since(Allocation earlier) {
        Map<Long, Long> before = new HashMap<>();
        for (int i = 0; i < earlier.threads.length; i++) {
            before.put(earlier.threads[i], earlier.bytes[i]);
        }
        long sum = 0;
        for (int i = 0; i < threads.length; i++) {
            // Less than nothing is said of a thread that has ended while it was asked about.
            sum += Math.max(0, bytes[i] - Math.max(0, before.getOrDefault(threads[i], 0L)));
        }
        return sum;
    }
}
