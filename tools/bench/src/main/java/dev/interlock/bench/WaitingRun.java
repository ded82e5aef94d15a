package dev.interlock.bench;

import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;

/** The turns of one contender in a {@link WaitingWorkload}. Used by one thread. */
final class WaitingRun implements BenchWorkload.ContenderRun {
    /** The requests that start the wait are over by then. They do not count as waiting. */
    private static final Duration SETTLED_AFTER = Duration.ofMillis(300);

    private final String name;
    private final ServerMeter meter;
    private final Locking holders;
    private final Locking waiters;
    private final ExecutorService threads = Executors.newCachedThreadPool(task -> {
        Thread thread = new Thread(task, "bench-waiting");
        thread.setDaemon(true);
        return thread;
    });

    WaitingRun(Contender contender, WaitingWorkload workload) {
        this.name = contender.name() + " at " + workload.name();
        this.meter = contender
                .meter()
                .orElseThrow(() -> new IllegalArgumentException(contender.name() + " has no meter: give it one"));
        this.holders = contender.opener().get();
        this.waiters = contender.opener().get();
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        CountDownLatch held = new CountDownLatch(1);
        CountDownLatch release = new CountDownLatch(1);
        CompletableFuture<Void> holder = run(
                holders,
                () -> {
                    held.countDown();
                    await(release);
                },
                // Also after a failure, because then there is nothing to wait for.
                held::countDown);
        await(held);
        CompletableFuture<Void> waiter = run(waiters, () -> {}, () -> {});
        try {
            TimeUnit.NANOSECONDS.sleep(SETTLED_AFTER.toNanos());
            ServerMeter.Reading before = meter.read();
            long from = System.nanoTime();
            TimeUnit.NANOSECONDS.sleep(length.toNanos());
            double calls = meter.read().since(before).calls();
            double seconds = (System.nanoTime() - from) / 1e9;
            if (waiter.isDone() || holder.isDone()) {
                throw new BenchException(name + " let a waiter in while the lock was held", null);
            }
            Map<Metric, Double> figures = new EnumMap<>(Metric.class);
            figures.put(Metric.CALLS_PER_SECOND, calls / seconds);
            return new Sample(figures);
        } finally {
            release.countDown();
            end(holder);
            end(waiter);
        }
    }

    private CompletableFuture<Void> run(Locking locking, Runnable section, Runnable atEnd) {
        LockGuard guard = locking.guard("bench:waited-for");
        return CompletableFuture.runAsync(
                () -> {
                    try {
                        guard.run(section);
                    } finally {
                        atEnd.run();
                    }
                },
                threads);
    }

    private void end(CompletableFuture<Void> work) {
        try {
            work.orTimeout(WorkerGroup.STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)
                    .join();
        } catch (CompletionException e) {
            throw new BenchException(name + " failed", e.getCause());
        }
    }

    private void await(CountDownLatch latch) {
        try {
            if (!latch.await(WorkerGroup.STUCK_AFTER.toNanos(), TimeUnit.NANOSECONDS)) {
                throw new BenchException(name + " is stuck", null);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new BenchException(name + " was interrupted", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        holders.close();
        waiters.close();
    }
}
