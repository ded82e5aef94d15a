package dev.interlock.testkit;

/** What the executors of {@link FakeClock} share: a task that throws harms neither its thread nor the next task. */
final class Trampolines {
    private Trampolines() {}

    static void run(Runnable task) {
        try {
            task.run();
        } catch (RuntimeException | Error thrown) {
            Thread thread = Thread.currentThread();
            thread.getUncaughtExceptionHandler().uncaughtException(thread, thrown);
        }
    }
}
