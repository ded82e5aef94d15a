package dev.interlock.internal.runtime;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long a store may block the thread of a caller that waits for the answer anyway. A blocking store that
 * uses the caller's thread saves two thread switches per call.
 *
 * <p>Invariant: a thread is lent for one call. Whatever the answer starts, perhaps for other requests, must not block
 * it.
 */
public final class Lending {
    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualHandle();

    /** The part of the limit that is kept for the work after the answer. */
    private static final long SPARE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    private Lending() {}

    /**
     * How long the store may block the current thread, whose caller waits for at most the given limit; 0 for not at
     * all. Interrupted and virtual threads are not lent: an interrupt closes the socket that such a thread reads
     * from.
     */
    public static long mayBlockNanos(long limitNanos) {
        if (limitNanos <= SPARE_NANOS || Thread.currentThread().isInterrupted() || isVirtual()) {
            return 0;
        }
        return limitNanos - SPARE_NANOS;
    }

    private static boolean isVirtual() {
        try {
            return IS_VIRTUAL != null && (boolean) IS_VIRTUAL.invokeExact(Thread.currentThread());
        } catch (Throwable e) {
            throw new IllegalStateException(e);
        }
    }

    /** {@code Thread.isVirtual}, which is younger than Java 17. */
    private static @Nullable MethodHandle isVirtualHandle() {
        try {
            return MethodHandles.publicLookup()
                    .findVirtual(Thread.class, "isVirtual", MethodType.methodType(boolean.class));
        } catch (NoSuchMethodException | IllegalAccessException e) {
            return null;
        }
    }
}
