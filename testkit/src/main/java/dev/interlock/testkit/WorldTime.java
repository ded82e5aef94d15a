package dev.interlock.testkit;

import dev.interlock.internal.runtime.Parking;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Moves a world: its clock, the scheduled scripts, and the threads that wait for locks.
 *
 * <p>Invariant: time moves only through the clock, or while the test's thread waits for a lock or for a started thread.
 * It never moves while anything is ready to run at the present moment.
 */
final class WorldTime implements Parking {
    /** Real time between two checks of whether the test's thread waits for a thread that the world did not start. */
    private static final Duration RECHECK = Duration.ofMillis(20);

    final FakeClock clock = new FakeClock();
    final Scripts scripts = new Scripts();
    final ThreadTurns turns = new ThreadTurns();
    private volatile Thread testThread = Thread.currentThread();

    WorldTime() {
        clock.drive(scripts);
        clock.afterEachStep(this::settle);
    }

    void setTestThread() {
        testThread = Thread.currentThread();
    }

    /** Runs everything that is ready now, before time may move. Returns whether there was anything. */
    boolean settle() {
        if (clock.isStepping()) {
            // A woken thread may want to move the clock, which this thread is holding. Let it run after the step.
            return false;
        }
        boolean any = false;
        while (scripts.runDue(clock.nanos()) || turns.letRun()) {
            any = true;
        }
        return any;
    }

    /** Moves to the next moment at which something is due, unless something is ready now. */
    void moveOn() {
        if (!turns.takeWake(Duration.ZERO) && !settle() && !clock.step(Long.MAX_VALUE)) {
            turns.takeWake(RECHECK);
        }
    }

    /**
     * Parks the calling thread, which waits for a lock. Returns when the wait condition should be checked again. A
     * thread that the world did not start moves time only if the test's thread seems to be waiting for it.
     */
    @Override
    public void park(Object blocker) {
        if (turns.park()) {
            return;
        }
        if (Thread.currentThread() == testThread) {
            moveOn();
        } else {
            boolean wasBlocked = testThreadIsBlocked();
            if (!turns.takeWake(RECHECK) && wasBlocked && testThreadIsBlocked()) {
                moveOn();
            }
        }
    }

    private boolean testThreadIsBlocked() {
        return switch (testThread.getState()) {
            case WAITING, TIMED_WAITING, TERMINATED -> !turns.isAnyRunning();
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
