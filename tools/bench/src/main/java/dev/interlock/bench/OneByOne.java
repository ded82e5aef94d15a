package dev.interlock.bench;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.List;
import java.util.function.Function;

/**
 * A guard of several names for those who have no lock for several: takes one after the other and gives them back in reverse, as their users
 * have to do it.
 *
 * <p>A failure, while some are still missing or later, gives back what was taken: others would wait for it until it expires.
 */
public final class OneByOne implements Guard {
    private final List<Single> locks;

    /** One of the locks. */
    @FunctionalInterface
    public interface Single {
        /**
         * Takes it, waiting as long as it takes.
         *
         * @return what gives it back, to be run by the same thread
         */
        Runnable take();
    }

    /**
     * Makes what it needs for each name now, before the clock runs.
     *
     * @param inOrder in an order that is the same for everyone, or two would wait for each other for ever
     */
    public OneByOne(List<String> inOrder, Function<String, Single> made) {
        this.locks = inOrder.stream().map(made).toList();
    }

    /** The order of names, for those whose locks have no other. */
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

        /** Gives back all of them, also if one of them fails. */
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
