package dev.interlock.testkit.faults;

import java.time.Duration;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;

/** A counter that a test can wait for. Thread-safe. */
final class AwaitableCounter {
    private final ReentrantLock lock = new ReentrantLock();
    private final Condition grown = lock.newCondition();
    private final AtomicLong count = new AtomicLong();

    void add() {
        lock.lock();
        try {
            count.incrementAndGet();
            grown.signalAll();
        } finally {
            lock.unlock();
        }
    }

    long count() {
        return count.get();
    }

    /** Returns whether the count was reached in time. An interrupt ends the wait and stays set. */
    boolean await(long wanted, Duration patience) {
        long left = patience.toNanos();
        lock.lock();
        try {
            while (count() < wanted && left > 0) {
                left = grown.awaitNanos(left);
            }
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
        } finally {
            lock.unlock();
        }
        return count() >= wanted;
    }
}
