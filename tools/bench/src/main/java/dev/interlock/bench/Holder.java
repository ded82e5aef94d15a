package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A thread that takes some locks and keeps them until it is told to release them: many locks belong to a thread. */
final class Holder {
    private final Thread thread;
    private final CountDownLatch acquired = new CountDownLatch(1);
    private final CountDownLatch release = new CountDownLatch(1);
    private volatile @Nullable RuntimeException failure;

    Holder(Locking locking, List<String> names) {
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

    /** Waits until it holds all of them; throws what kept it from that. */
    void awaitAcquired() throws InterruptedException {
        if (!acquired.await(Crew.STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
            throw new BenchException("Not all locks were acquired within " + Crew.STUCK_AFTER, null);
        }
        RuntimeException why = failure;
        if (why != null) {
            throw why;
        }
    }

    /** Has all of them release what they hold, and waits for that, but not for those who are stuck. */
    static void release(List<Holder> holders) {
        holders.forEach(holder -> holder.release.countDown());
        long deadline = System.nanoTime() + Crew.STUCK_AFTER.toNanos();
        try {
            for (Holder holder : holders) {
                holder.thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
