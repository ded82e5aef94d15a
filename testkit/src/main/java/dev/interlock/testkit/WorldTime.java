package dev.interlock.testkit;

import dev.interlock.internal.time.Parking;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * What moves a world: its clock, the scripts that wait for their moment, and the threads that wait for locks.
 *
 * <p>Invariant: time moves only by the clock, or while the test's thread waits for a lock or for a started thread, and never
 * while there is still something to do at the present moment.
 */
final class WorldTime implements Parking {
    /** Real time between two looks at a test's thread that may be waiting for a thread that we do not know. */
    private static final Duration LOOK = Duration.ofMillis(20);

    final FakeClock clock = new FakeClock();
    final Scripts scripts = new Scripts();
    final Turns turns = new Turns();
    private volatile Thread testThread = Thread.currentThread();

    WorldTime() {
        clock.drive(scripts);
        clock.afterEachStep(this::settle);
    }

    void testRunsHere() {
        testThread = Thread.currentThread();
    }

    /** Lets happen what is ready now, before time may move; whether there was anything. */
    boolean settle() {
        if (clock.isStepping()) {
            // Whoever is woken may want to move the clock, which this thread is holding: later, after the step.
            return false;
        }
        boolean any = false;
        while (scripts.runDue(clock.nanos()) || turns.letRun()) {
            any = true;
        }
        return any;
    }

    /** Goes on to the next moment at which something is due, unless there is something to do now. */
    void moveOn() {
        if (!turns.takeWake(Duration.ZERO) && !settle() && !clock.step(Long.MAX_VALUE)) {
            turns.takeWake(LOOK);
        }
    }

    /**
     * The calling thread waits for a lock; returns whenever it is worth while to look again. A thread that nobody told us of
     * moves time only if the test's thread seems to wait for it.
     */
    @Override
    public void park(Object blocker) {
        if (turns.park()) {
            return;
        }
        if (Thread.currentThread() == testThread) {
            moveOn();
        } else {
            boolean stood = testThreadStands();
            if (!turns.takeWake(LOOK) && stood && testThreadStands()) {
                moveOn();
            }
        }
    }

    private boolean testThreadStands() {
        return switch (testThread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> !turns.isSomeoneRunning();
            default -> false;
        };
    }

    @Override
    public void unpark(@Nullable Thread thread) {
        if (thread != null) {
            turns.unpark(thread);
        }
    }
}
