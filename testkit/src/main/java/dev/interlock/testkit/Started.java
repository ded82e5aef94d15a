package dev.interlock.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Code that a world runs on a thread of its own, see {@link InterlockWorld#start(Callable)}.
 *
 * <p>If it failed and nobody asked, the test fails at its end with what was thrown. Thread-safe.
 *
 * @param <T> what it gives
 */
public final class Started<T extends @Nullable Object> {
    private final WorldTime time;
    private final FutureTask<T> task;
    private volatile boolean asked;

    Started(WorldTime time, Callable<T> code) {
        this.time = time;
        this.task = new FutureTask<>(code);
    }

    Runnable code() {
        return task;
    }

    /** Whether it has ended. If not, it waits for a lock. */
    public boolean isDone() {
        time.settle();
        return task.isDone();
    }

    /**
     * What it gave. If it still waits for a lock, time moves on by itself until it has ended.
     *
     * @throws Exception what it threw
     */
    public T result() throws Exception {
        asked = true;
        while (!isDone()) {
            time.moveOn();
        }
        try {
            return task.get();
        } catch (ExecutionException failed) {
            if (failed.getCause() instanceof Error error) {
                throw error;
            }
            throw failed.getCause() instanceof Exception thrown ? thrown : failed;
        }
    }

    /** What it threw without anybody having asked; null if there is nothing. */
    @Nullable
    Throwable unheardFailure() {
        if (asked || !task.isDone()) {
            return null;
        }
        try {
            task.get();
            return null;
        } catch (ExecutionException failed) {
            return failed.getCause();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return null;
        }
    }
}
