package dev.interlock.testkit;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time, in order, on one of the threads that submit them.
 *
 * <p>While a thread runs tasks here, it also runs all tasks that are submitted in that time, by itself or by other
 * threads. So two tasks never run at the same time, and no task runs inside another one.
 */
final class SerialTrampoline implements Executor {
    private final Queue<Runnable> tasks = new ConcurrentLinkedQueue<>();
    private final AtomicInteger open = new AtomicInteger();

    @Override
    public void execute(Runnable task) {
        tasks.add(task);
        if (open.getAndIncrement() > 0) {
            return;
        }
        do {
            Trampolines.run(tasks.remove());
        } while (open.decrementAndGet() > 0);
    }
}
