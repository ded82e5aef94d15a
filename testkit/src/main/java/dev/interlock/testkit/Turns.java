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
 * Who runs: the threads that a world has started run one at a time, and only while another thread lets them.
 *
 * <pre>
 *   letRun ──▶ turn ──▶ park or end ──▶ back to the one that let it run
 *                        │
 *                        └── unpark or interrupt makes it ready for another turn
 * </pre>
 *
 * So no test depends on which of two threads was faster. A thread that has no seat here is only woken.
 *
 * <p>Thread-safe. The mutex is never held while somebody else's code runs.
 */
final class Turns {
    /** Real time; a turn does a moment's work, so one that takes longer waits for something that will not come. */
    private static final Duration LONGEST_TURN = Duration.ofSeconds(60);

    /** A started thread. What it reads without the mutex is volatile; all is written with it, but for the mark of an interrupt. */
    private final class Seat implements Runnable {
        final Thread thread;
        private final Runnable code;
        volatile boolean turn;
        volatile boolean woken = true;
        boolean parked = true;

        Seat(String name, Runnable code) {
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
                    seats.remove(thread);
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
                    // In this order, so that whoever looks for a ready thread sees one of the two at any time.
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
    private final Map<Thread, Seat> seats = new LinkedHashMap<>();
    private final Set<Thread> wokenOthers = new HashSet<>();

    /** Starts a thread that waits for its first turn. */
    void start(String name, Runnable code) {
        Seat seat = new Seat(name, code);
        seat.thread.setDaemon(true);
        mutex.lock();
        try {
            seats.put(seat.thread, seat);
        } finally {
            mutex.unlock();
        }
        seat.thread.start();
    }

    /**
     * Ends the turn of the calling thread until it is woken or interrupted, and is let run again.
     *
     * @return false if it has no seat here; then nothing was done
     */
    boolean park() {
        Seat mine;
        mutex.lock();
        try {
            mine = seats.get(Thread.currentThread());
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
            Seat seat = seats.get(thread);
            if (seat != null) {
                seat.woken = true;
            } else {
                wokenOthers.add(thread);
            }
            changed.signalAll();
        } finally {
            mutex.unlock();
        }
    }

    /** Whether a thread without a seat was woken since the last time; waits for that for as long, in real time. */
    boolean takeWake(Duration atMost) {
        Thread me = Thread.currentThread();
        mutex.lock();
        try {
            long left = atMost.toNanos();
            while (!wokenOthers.remove(me)) {
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

    /** Whether some started thread has its turn right now. */
    boolean isSomeoneRunning() {
        mutex.lock();
        try {
            return seats.values().stream().anyMatch(seat -> seat.turn);
        } finally {
            mutex.unlock();
        }
    }

    /** Gives each thread that is ready a turn, one after another, until none is; whether there was any. */
    boolean letRun() {
        boolean any = false;
        mutex.lock();
        try {
            for (Seat next = firstReady(); next != null; next = firstReady()) {
                giveTurn(next);
                any = true;
            }
        } finally {
            mutex.unlock();
        }
        return any;
    }

    private @Nullable Seat firstReady() {
        for (Seat seat : seats.values()) {
            if (seat.isReady()) {
                return seat;
            }
        }
        return null;
    }

    /** Waits on a condition of the mutex, so that others may take it meanwhile. */
    private void giveTurn(Seat seat) {
        seat.turn = true;
        LockSupport.unpark(seat.thread);
        long end = System.nanoTime() + LONGEST_TURN.toNanos();
        boolean interrupted = false;
        while (seat.turn) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                throw new AssertionError(
                        "The thread \"" + seat.thread.getName() + "\" neither ended nor waited for a lock within "
                                + LONGEST_TURN + " of real time; it is " + seat.thread.getState()
                                + ". Started threads run one at a time: one that waits for another one by other means than a lock never ends");
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
