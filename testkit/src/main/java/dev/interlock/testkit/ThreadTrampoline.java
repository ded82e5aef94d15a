package dev.interlock.testkit;

import java.util.ArrayDeque;
import java.util.Deque;
import java.util.concurrent.Executor;

/**
 * Runs each task on the thread that submits it. A task submitted by a running task starts when that task has ended.
 */
final class ThreadTrampoline implements Executor {
    // Per executor, not static: a task of one executor may submit to another one, which must run it at once.
    @SuppressWarnings("ThreadLocalUsage")
    private final ThreadLocal<Deque<Runnable>> running = new ThreadLocal<>();

    @Override
    public void execute(Runnable task) {
        Deque<Runnable> later = running.get();
        if (later != null) {
            later.add(task);
            return;
        }
        Deque<Runnable> tasks = new ArrayDeque<>();
        tasks.add(task);
        running.set(tasks);
        try {
            for (Runnable next = tasks.poll(); next != null; next = tasks.poll()) {
                Trampolines.run(next);
            }
        } finally {
            running.remove();
        }
    }
}
