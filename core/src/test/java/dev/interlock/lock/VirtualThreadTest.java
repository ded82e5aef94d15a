package dev.interlock.lock;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.junit.jupiter.api.Assumptions.abort;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Virtual threads wait for locks without pinning their carrier threads. */
class VirtualThreadTest {
    private static final int THREADS = 10_000;
    private static final int KEYS = 4;

    /** Deliberately not atomic: only the lock protects it. */
    private final int[] counters = new int[KEYS];

    @Test
    void tenThousandVirtualThreadsExcludeEachOther() throws Exception {
        ExecutorService threads = virtualThreads();
        List<Future<?>> work = new ArrayList<>();
        try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
            for (int i = 0; i < THREADS; i++) {
                int number = i % KEYS;
                work.add(threads.submit(() -> interlock
                        .locks()
                        .with(LockKey.of("counter", "" + number))
                        .waitAtMost(ofSeconds(60))
                        .run(lease -> increment(number))));
            }
            for (Future<?> one : work) {
                one.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }

        assertThat(counters).containsOnly(THREADS / KEYS);
    }

    private void increment(int number) {
        int before = counters[number];
        Thread.onSpinWait();
        counters[number] = before + 1;
    }

    private static ExecutorService virtualThreads() throws ReflectiveOperationException {
        if (Runtime.version().feature() < 21) {
            abort("needs Java 21: virtual threads");
        }
        return (ExecutorService)
                Executors.class.getMethod("newVirtualThreadPerTaskExecutor").invoke(null);
    }
}
