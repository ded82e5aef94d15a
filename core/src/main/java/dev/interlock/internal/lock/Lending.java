package dev.interlock.internal.lock;

import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Threads whose callers wait for the store's answer anyway, lent to stores that block: such a store saves two wake-ups per call.
 *
 * <p>Invariant: a thread is lent for one call. What the answer sets going, perhaps for others, finds it taken.
 */
final class Lending {
    private static final @Nullable MethodHandle IS_VIRTUAL = isVirtualHandle();

    /** Of a limit, this much is for what comes after the answer. */
    private static final long SPARE_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** For how long a thread is lent. Stays with its thread: making an entry and removing it for each call would cost more than all the rest. */
    private static final class Loan {
        Duration limit = Duration.ZERO;
    }

    @SuppressWarnings("ThreadLocalUsage") // one per engine on purpose: a thread is lent to one store
    private final ThreadLocal<Loan> lent = ThreadLocal.withInitial(Loan::new);

    /** Whether the store has ever asked: the others need not pay for it. */
    private volatile boolean wanted;

    /**
     * Lends this thread to the store until {@link #end}; false if there is no need to. Not one that is interrupted, and no virtual thread:
     * an interrupt closes the socket in which such a thread reads.
     */
    boolean lend(long limitNanos) {
        if (!wanted || limitNanos <= SPARE_NANOS || Thread.currentThread().isInterrupted() || isVirtual()) {
            return false;
        }
        lent.get().limit = Duration.ofNanos(limitNanos - SPARE_NANOS);
        return true;
    }

    void end() {
        lent.get().limit = Duration.ZERO;
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

    /** Takes this thread for as long as is answered; zero if it is not lent. */
    Duration take() {
        if (!wanted) {
            wanted = true;
        }
        Loan loan = lent.get();
        Duration limit = loan.limit;
        loan.limit = Duration.ZERO;
        return limit;
    }
}
