package dev.interlock.testkit.workers;

import dev.interlock.testkit.workers.CriticalSection.Point;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The points where threads of a worker stop. A thread that reaches an armed point reports it and waits until the point
 * is disarmed.
 *
 * <p>Thread-safe. The wait has no limit of its own: the test that armed the point has one, and ends the process.
 */
final class StopPoints {
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition opened = mutex.newCondition();
    private final Set<Point> armed = EnumSet.noneOf(Point.class);
    private final Consumer<WorkerMessage> reporter;

    StopPoints(Consumer<WorkerMessage> reporter) {
        this.reporter = reporter;
    }

    void arm(Point point) {
        mutex.lock();
        try {
            armed.add(point);
        } finally {
            mutex.unlock();
        }
    }

    /** Resumes all threads that wait at this point, and stops no further ones there. */
    void disarm(Point point) {
        mutex.lock();
        try {
            armed.remove(point);
            opened.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    void stopIfArmed(Point point, String key) {
        mutex.lock();
        try {
            if (armed.contains(point)) {
                reporter.accept(WorkerMessage.of("reached").with("point", point).with("key", key));
            }
            while (armed.contains(point)) {
                opened.awaitUninterruptibly();
            }
        } finally {
            mutex.unlock();
        }
    }
}
