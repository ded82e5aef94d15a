package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A thread that acquires some locks and keeps them until it is asked to release them. Many libraries bind a lock to its
 * thread.
 */
final class HolderThread {
    private final Thread thread;
    private final CountDownLatch acquired = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile @Nullable RuntimeException failure;

    HolderThread(Locking locking, List<String> names) {
        thread = new Thread(() -> run(locking, names), "bench-holder");
        thread.setDaemon(true);
    }

    void start() {
        thread.start();
    }

    private void run(Locking locking, List<String> names) {
        List<Runnable> held = new ArrayList<>(names.size());
        try {
            names.forEach(name -> held.add(locking.hold(name)));
            acquired.countDown();
            release.await();
            held.forEach(Runnable::run);
        } catch (RuntimeException e) {
            failure = e;
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        acquired.countDown();
    }

    /** Waits until the thread holds all its locks. Throws the failure if it could not acquire them. */
    void awaitAcquired() throws InterruptedException {
        if (!acquired.await(WorkerGroup.STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new BenchException("Not all locks were acquired within " + WorkerGroup.STUCK_AFTER, null);
        }
        RuntimeException why = failure;
        if (why != null) {
            throw why;
        }
    }

    /** Releases the locks of all threads. Waits for the threads, but not for ones that are stuck. */
    static void release(List<HolderThread> holders) {
        holders.forEach(holder -> holder.release.countDown());
        long deadline = System.nanoTime() + WorkerGroup.STUCK_AFTER.toNanos();
        try {
            for (HolderThread holder : holders) {
                holder.thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
