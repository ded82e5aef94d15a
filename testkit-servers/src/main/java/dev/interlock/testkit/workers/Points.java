package dev.interlock.testkit.workers;

import dev.interlock.testkit.workers.Section.Point;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Consumer;

/**
 * The places where threads of a worker stop: each that comes by an armed point says so and waits until told to go on.
 *
 * <p>Thread-safe. The wait has no limit of its own: the test that armed the point has one, and ends the process.
 */
final class Points {
    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition opened = mutex.newCondition();
    private final Set<Point> armed = EnumSet.noneOf(Point.class);
    private final Consumer<Message> tell;

    Points(Consumer<Message> tell) {
        this.tell = tell;
    }

    void arm(Point point) {
        mutex.lock();
        try {
            armed.add(point);
        } finally {
            mutex.unlock();
        }
    }

    /** Lets everyone go on who waits at this point, and nobody stop there from now on. */
    void disarm(Point point) {
        mutex.lock();
        try {
            armed.remove(point);
            opened.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    void passBy(Point point, String key) {
        mutex.lock();
        try {
            if (armed.contains(point)) {
                tell.accept(Message.of("reached").with("point", point).with("key", key));
            }
            while (armed.contains(point)) {
                opened.awaitUninterruptibly();
            }
        } finally {
            mutex.unlock();
        }
    }
}
