package dev.interlock.testkit;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import org.jspecify.annotations.Nullable;

/**
 * Code that a world runs on its own thread. See {@link InterlockWorld#start(Callable)}.
 *
 * <p>If the code fails and the test never calls {@link #result()}, the test fails at its end with that failure.
 * Thread-safe.
 *
 * @param <T> the type of the result
 * @since 0.1.0
 */
public final class StartedCall<T extends @Nullable Object> {
    private final WorldTime time;
    private final FutureTask<T> task;
    private volatile boolean resultRequested;

    StartedCall(WorldTime time, Callable<T> code) {
        this.time = time;
        this.task = new FutureTask<>(code);
    }

    Runnable code() {
        return task;
    }

    /** Returns whether the code has ended. If not, it is waiting for a lock. */
    public boolean isDone() {
        time.settle();
        return task.isDone();
    }

    /**
     * Returns the result of the code. While the code waits for a lock, time moves by itself until it has ended.
     *
     * @throws Exception what the code threw
     */
    public T result() throws Exception {
        resultRequested = true;
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

    /** Returns what the code threw if {@link #result()} was never called, otherwise null. */
    @Nullable
    Throwable unreportedFailure() {
        if (resultRequested || !task.isDone()) {
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
