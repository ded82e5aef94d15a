package dev.interlock.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The heap bytes that each thread of this process has allocated so far, if the JVM counts them. */
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

    /**
     * Returns the bytes allocated since an earlier reading. Threads that ended between the two readings are not
     * counted.
     */
    long since(Allocation earlier) {
        Map<Long, Long> before = new HashMap<>();
        for (int i = 0; i < earlier.threads.length; i++) {
            before.put(earlier.threads[i], earlier.bytes[i]);
        }
        long sum = 0;
        for (int i = 0; i < threads.length; i++) {
            // The JVM reports -1 for a thread that ends while it is queried.
            sum += Math.max(0, bytes[i] - Math.max(0, before.getOrDefault(threads[i], 0L)));
        }
        return sum;
    }
}
