package dev.interlock.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * A guard for several names, for contenders without an operation for several locks. Acquires one after the other and
 * releases in reverse order, as users of these libraries have to do.
 *
 * <p>Any failure releases the acquired locks. Otherwise other clients would wait until they expire.
 */
public final class SequentialGuard implements LockGuard {
    private final List<Single> locks;

    /** One of the locks. */
    @FunctionalInterface
    public interface Single {
        /**
         * Acquires the lock, and waits for it if necessary.
         *
         * @return releases the lock; must run on the same thread
         */
        Runnable take();
    }

    /**
     * Prepares each lock now, before the measurement.
     *
     * @param inOrder the names, in an order that all callers share; otherwise two callers could deadlock
     */
    public SequentialGuard(List<String> inOrder, Function<String, Single> made) {
        this.locks = inOrder.stream().map(made).toList();
    }

    /** Sorts names, for contenders without another order. */
    public static List<String> sorted(List<String> names) {
        return names.stream().sorted().toList();
    }

    @Override
    public void run(Runnable section) {
        try (Taken taken = new Taken()) {
            for (Single lock : locks) {
                taken.add(lock.take());
            }
            section.run();
        }
    }

    private static final class Taken implements AutoCloseable {
        private final Deque<Runnable> releases = new ArrayDeque<>();

        void add(Runnable release) {
            releases.push(release);
        }

        /** Releases all locks, even if one release fails. */
        @Override
        public void close() {
            if (!releases.isEmpty()) {
                try {
                    releases.pop().run();
                } finally {
                    close();
                }
            }
        }
    }
}
