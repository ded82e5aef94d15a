package dev.interlock.testkit;

import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;

/**
 * Runs tasks one at a time, in order, on a thread that handed one over.
 *
 * <p>While a thread runs tasks here, those that come meanwhile, from it or from others, are left to it. So no two tasks ever
 * run at once and none runs inside another one.
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
