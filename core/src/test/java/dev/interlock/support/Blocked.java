package dev.interlock.support;

import static org.awaitility.Awaitility.await;

import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/** A call on a thread of its own that is expected to block. */
public final class Blocked<T> {
    private final FutureTask<T> task;
    private final Thread thread;

    private Blocked(Callable<T> call) {
        task = new FutureTask<>(call);
        thread = new Thread(task, "blocked");
        thread.setDaemon(true);
    }

    /** Starts the call and returns once its thread is blocked. */
    public static <T> Blocked<T> in(Callable<T> call) {
        Blocked<T> blocked = new Blocked<>(call);
        blocked.thread.start();
        blocked.awaitBlocked();
        return blocked;
    }

    /** Returns once the thread is blocked or has ended. */
    public void awaitBlocked() {
        await().until(() -> thread.getState() == Thread.State.WAITING
                || thread.getState() == Thread.State.TIMED_WAITING
                || task.isDone());
    }

    public Thread thread() {
        return thread;
    }

    public boolean isDone() {
        return task.isDone();
    }

    /** Waits at most five seconds for the result. */
    public T result() {
        try {
            return task.get(5, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new AssertionError("The call failed", e.getCause());
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("The call did not return", e);
        }
    }

    /** Waits at most five seconds for the exception. */
    public Throwable failure() {
        try {
            throw new AssertionError("The call returned " + task.get(5, TimeUnit.SECONDS));
        } catch (ExecutionException e) {
            return e.getCause();
        } catch (InterruptedException | TimeoutException e) {
            throw new AssertionError("The call did not return", e);
        }
    }
}
