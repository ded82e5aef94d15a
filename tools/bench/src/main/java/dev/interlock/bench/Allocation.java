package dev.interlock.bench;

import com.sun.management.ThreadMXBean;
import java.lang.management.ManagementFactory;
import org.jspecify.annotations.Nullable;

/** What the threads that are alive have allocated on the heap since they began, where the JVM counts it. */
final class Allocation {
    private static final @Nullable ThreadMXBean THREADS =
            ManagementFactory.getThreadMXBean() instanceof ThreadMXBean bean && bean.isThreadAllocatedMemorySupported()
                    ? bean
                    : null;

    private Allocation() {}

    static boolean isMeasured() {
        return THREADS != null;
    }

    /** Only the difference between two calls means something, and only if no thread ended in between. */
    static long bytes() {
        if (THREADS == null) {
            return 0;
        }
        long sum = 0;
        for (long bytes : THREADS.getThreadAllocatedBytes(THREADS.getAllThreadIds())) {
            sum += Math.max(0, bytes);
        }
        return sum;
    }
}
