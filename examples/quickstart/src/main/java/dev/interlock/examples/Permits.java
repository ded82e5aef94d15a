package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;

/** A semaphore: at most three of ten tasks call the payment gateway at the same time. */
public final class Permits {
    private Permits() {}

    public static void main(String[] args) {
        LockKey gateway = LockKey.of("gateway", "payments");
        AtomicInteger now = new AtomicInteger();
        AtomicInteger most = new AtomicInteger();

        try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
            CompletableFuture.allOf(IntStream.range(0, 10)
                            .mapToObj(task -> CompletableFuture.runAsync(() -> interlock
                                    .locks()
                                    .with(gateway)
                                    .permits(1, 3) // one of three
                                    .waitAtMost(Duration.ofSeconds(10))
                                    .run(lease -> call(now, most))))
                            .toArray(CompletableFuture<?>[]::new))
                    .join();
        }
        System.out.println("10 calls, at most 3 at once: " + (most.get() <= 3));
    }

    private static void call(AtomicInteger now, AtomicInteger most) {
        most.accumulateAndGet(now.incrementAndGet(), Math::max);
        LockSupport.parkNanos(20_000_000); // the gateway takes its time
        now.decrementAndGet();
    }
}
