package dev.interlock.testkit;

/** Shared by the executors of {@link FakeClock}: a task that throws affects neither its thread nor the next task. */
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
