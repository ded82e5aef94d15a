package dev.interlock.simulation;

import dev.interlock.spi.Environment;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.random.RandomGenerator;

/**
 * One simulated process: a clock that drifts a little, an alarm, and executors whose tasks take a moment to run. It
 * can be paused and killed.
 *
 * <p>While it is paused, none of its tasks run; they run when it resumes. Once it is dead, no task ever runs.
 */
final class SimulatedProcess implements Environment {
    private final World world;
    final String name;
    private final double clockRate;
    private Runnable beforePause = () -> {};
    private final List<Runnable> delayed = new ArrayList<>();
    private boolean paused;
    private boolean dead;
    private long lastResumed;
    private long alarmGeneration;

    SimulatedProcess(World world, String name, double clockRate) {
        this.world = world;
        this.name = name;
        this.clockRate = clockRate;
    }

    /** A check that runs before this process is paused. */
    void beforePause(Runnable check) {
        beforePause = check;
    }

    /** Runs a task of this process after a delay: later if it is paused then, never if it is dead. */
    void in(long delayNanos, Runnable what) {
        world.in(delayNanos, () -> live(what));
    }

    private void live(Runnable what) {
        if (dead) {
            return;
        }
        if (paused) {
            delayed.add(what);
        } else {
            what.run();
        }
    }

    void pause(long nanos) {
        if (dead || paused) {
            return;
        }
        world.record(name + " pauses for " + nanos / 1_000_000 + " ms");
        beforePause.run();
        paused = true;
        world.in(nanos, this::resume);
    }

    private void resume() {
        paused = false;
        lastResumed = world.now();
        List<Runnable> waiting = new ArrayList<>(delayed);
        delayed.clear();
        // Threads of a process that resumes run in any order.
        while (!waiting.isEmpty()) {
            Runnable next = waiting.remove(world.random.nextInt(waiting.size()));
            world.in(world.between(0, 200_000), () -> live(next));
        }
    }

    void kill() {
        world.record(name + " is killed");
        dead = true;
        delayed.clear();
    }

    boolean isDead() {
        return dead;
    }

    boolean isPaused() {
        return paused;
    }

    /** How long it has been running without a pause. */
    long runningFor() {
        return paused ? 0 : world.now() - lastResumed;
    }

    @Override
    public long nanos() {
        return (long) (world.now() * clockRate);
    }

    @Override
    public long noticeSuspend() {
        return 0;
    }

    @Override
    public Instant wall() {
        return Instant.ofEpochSecond(0, world.now());
    }

    @Override
    public RandomGenerator random() {
        return world.random;
    }

    @Override
    public void drive(Alarm alarm) {
        alarm.onEarlier(() -> ringSoon(alarm, 0));
        ringSoon(alarm, 0);
    }

    private void ringSoon(Alarm alarm, long delayNanos) {
        long generation = ++alarmGeneration;
        in(delayNanos + world.between(0, 300_000), () -> {
            if (generation != alarmGeneration) {
                return;
            }
            long next = alarm.ring(nanos());
            if (next != Long.MAX_VALUE && generation == alarmGeneration) {
                ringSoon(alarm, Math.max(0, (long) ((next - nanos()) / clockRate)));
            }
        });
    }

    @Override
    public Executor serial(String threadName) {
        // One after another, as on one thread: each task is scheduled after the previous one.
        long[] busyUntil = {0};
        return task -> {
            long at = Math.max(busyUntil[0], world.now() + world.between(0, 50_000));
            busyUntil[0] = at + 1;
            in(at - world.now(), task);
        };
    }

    @Override
    public Executor pool(String threadName, int threads) {
        return task -> in(world.between(0, 50_000), task);
    }

    @Override
    public void close() {}
}
