package dev.interlock.testkit;

import dev.interlock.spi.Surroundings;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Scripts that wait for their moment.
 *
 * <p>The alarm makes the clock stop there; it does not run them, since a script may start or wake threads, which must be free
 * to move the clock. Those of one moment run in the order in which they were given. Thread-safe.
 */
final class Scripts implements Surroundings.Alarm {
    private record Entry(long dueNanos, long number, Runnable script) {}

    private final ReentrantLock mutex = new ReentrantLock();
    private final PriorityQueue<Entry> waiting =
            new PriorityQueue<>(Comparator.comparingLong(Entry::dueNanos).thenComparingLong(Entry::number));
    private final List<Throwable> failures = new ArrayList<>();
    private long numbers;
    private @Nullable Runnable wakeUp;

    void at(long dueNanos, Runnable script) {
        Runnable wake;
        mutex.lock();
        try {
            waiting.add(new Entry(dueNanos, numbers++, script));
            wake = wakeUp;
        } finally {
            mutex.unlock();
        }
        if (wake != null) {
            wake.run();
        }
    }

    /** Runs what is due; whether there was anything. */
    boolean runDue(long nowNanos) {
        boolean any = false;
        for (Entry due = poll(nowNanos); due != null; due = poll(nowNanos)) {
            run(due.script());
            any = true;
        }
        return any;
    }

    /** Runs a script. What it throws must not hit the code under test, which happens to be on the stack: it is kept. */
    void run(Runnable script) {
        try {
            script.run();
        } catch (RuntimeException | Error failed) {
            mutex.lock();
            try {
                failures.add(failed);
            } finally {
                mutex.unlock();
            }
        }
    }

    List<Throwable> failures() {
        mutex.lock();
        try {
            return List.copyOf(failures);
        } finally {
            mutex.unlock();
        }
    }

    private @Nullable Entry poll(long nowNanos) {
        mutex.lock();
        try {
            Entry first = waiting.peek();
            return first == null || first.dueNanos() > nowNanos ? null : waiting.poll();
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public long ring(long nowNanos) {
        mutex.lock();
        try {
            // What is due already is not asked for again: it is run after this step.
            return waiting.stream()
                    .mapToLong(Entry::dueNanos)
                    .filter(due -> due > nowNanos)
                    .min()
                    .orElse(Long.MAX_VALUE);
        } finally {
            mutex.unlock();
        }
    }

    @Override
    public void onEarlier(Runnable newWakeUp) {
        mutex.lock();
        try {
            wakeUp = newWakeUp;
        } finally {
            mutex.unlock();
        }
    }
}
