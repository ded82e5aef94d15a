package dev.interlock.testkit;

import java.time.Duration;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * Schedules the threads that a world has started: they run one at a time, and only when another thread lets them.
 *
 * <pre>
 *   letRun ──▶ turn ──▶ park or end ──▶ back to the thread that called letRun
 *                        │
 *                        └── unpark or interrupt makes it ready for another turn
 * </pre>
 *
 * <p>So no test depends on which of two threads is faster. A thread that was not started here is only woken.
 *
 * <p>Thread-safe. The mutex is never held while foreign code runs.
 */
final class ThreadTurns {
    /** In real time. A turn does very little work, so a longer one waits for something that never comes. */
    private static final Duration MAX_TURN = Duration.ofSeconds(60);

    /**
     * A started thread. Fields read without the mutex are volatile. All writes hold the mutex, except the one that
     * records an interrupt.
     */
    private final class StartedThread implements Runnable {
        final Thread thread;
        private final Runnable code;
        volatile boolean turn;
        volatile boolean woken = true;
        boolean parked = true;

        StartedThread(String name, Runnable code) {
            this.thread = new Thread(this, name);
            this.code = code;
        }

        @Override
        public void run() {
            awaitTurn();
            try {
                code.run();
            } finally {
                mutex.lock();
                try {
                    threads.remove(thread);
                    turn = false;
                    changed.signalAll();
                } finally {
                    mutex.unlock();
                }
            }
        }

        void awaitTurn() {
            boolean interrupted = false;
            while (!turn) {
                LockSupport.park(this);
                if (Thread.currentThread().isInterrupted()) {
                    // In this order, so that a search for a ready thread always sees one of the two.
                    woken = true;
                    interrupted |= Thread.interrupted();
                }
            }
            mutex.lock();
            try {
                parked = false;
                woken = false;
            } finally {
                mutex.unlock();
            }
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }

        boolean isReady() {
            return parked && !turn && (thread.isInterrupted() || woken);
        }
    }

    private final ReentrantLock mutex = new ReentrantLock();
    private final Condition changed = mutex.newCondition();
    private final Map<Thread, StartedThread> threads = new LinkedHashMap<>();
    private final Set<Thread> wokenForeign = new HashSet<>();

    /** Starts a thread that waits for its first turn. */
    void start(String name, Runnable code) {
        StartedThread started = new StartedThread(name, code);
        started.thread.setDaemon(true);
        mutex.lock();
        try {
            threads.put(started.thread, started);
        } finally {
            mutex.unlock();
        }
        started.thread.start();
    }

    /**
     * Ends the turn of the calling thread. Returns when the thread was woken or interrupted and has its next turn.
     *
     * @return false, without any effect, if the thread was not started here
     */
    boolean park() {
        StartedThread mine;
        mutex.lock();
        try {
            mine = threads.get(Thread.currentThread());
            if (mine == null) {
                return false;
            }
            if (mine.woken) {
                mine.woken = false;
                return true;
            }
            mine.parked = true;
            mine.turn = false;
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
        mine.awaitTurn();
        return true;
    }

    void unpark(Thread thread) {
        mutex.lock();
        try {
            StartedThread started = threads.get(thread);
            if (started != null) {
                started.woken = true;
            } else {
                wokenForeign.add(thread);
            }
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    /**
     * Returns whether the calling thread, which was not started here, was woken since the last call. Waits up to the
     * given real time for that.
     */
    boolean takeWake(Duration atMost) {
        Thread me = Thread.currentThread();
        mutex.lock();
        try {
            long left = atMost.toNanos();
            while (!wokenForeign.remove(me)) {
                if (left <= 0 || me.isInterrupted()) {
                    return false;
                }
                left = changed.awaitNanos(left);
            }
            return true;
        } catch (InterruptedException e) {
            me.interrupt();
            return false;
        } finally {
            mutex.unlock();
        }
    }

    /** Returns whether a started thread has its turn right now. */
    boolean isAnyRunning() {
        mutex.lock();
        try {
            return threads.values().stream().anyMatch(started -> started.turn);
        } finally {
            mutex.unlock();
        }
    }

    /** Gives each ready thread a turn, one after another, until none is ready. Returns whether there was any. */
    boolean letRun() {
        boolean any = false;
        mutex.lock();
        try {
            for (StartedThread next = firstReady(); next != null; next = firstReady()) {
                giveTurn(next);
                any = true;
            }
        } finally {
            mutex.unlock();
        }
        return any;
    }

    private @Nullable StartedThread firstReady() {
        for (StartedThread started : threads.values()) {
            if (started.isReady()) {
                return started;
            }
        }
        return null;
    }

    /** Waits on a condition of the mutex, so other threads can take the mutex in that time. */
    private void giveTurn(StartedThread started) {
        started.turn = true;
        LockSupport.unpark(started.thread);
        long end = System.nanoTime() + MAX_TURN.toNanos();
        boolean interrupted = false;
        while (started.turn) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(
                        "The thread \"" + started.thread.getName() + "\" neither ended nor waited for a lock within "
                                + MAX_TURN + " of real time; it is " + started.thread.getState()
                                + ". Started threads run one at a time, so a thread that waits for another one"
                                + " without a lock never ends");
            }
            try {
                changed.await(left, TimeUnit.NANOSECONDS);
            } catch (InterruptedException e) {
                interrupted = true;
            }
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }
}
