package dev.interlock.testkit;

import dev.interlock.spi.Environment;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.PriorityQueue;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Scripts that run at a scheduled moment.
 *
 * <p>The alarm only makes the clock stop at that moment. It does not run the scripts, because a script may start or
 * wake threads, which must be able to move the clock. Scripts for the same moment run in the order in which they were
 * added. Thread-safe.
 */
final class Scripts implements Environment.Alarm {
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

    /** Runs the scripts that are due. Returns whether there were any. */
    boolean runDue(long nowNanos) {
        boolean any = false;
        for (Entry due = poll(nowNanos); due != null; due = poll(nowNanos)) {
            run(due.script());
            any = true;
        }
        return any;
    }

    /**
     * Runs a script and records what it throws. The exception must not reach the code under test, which may be on the
     * stack.
     */
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
            // Skip scripts that are already due: they run after this step.
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
