package dev.interlock.internal.lock;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One answer that a thread waits for. */
final class Answer<T> {
    private final CountDownLatch given = new CountDownLatch(1);
    private volatile @Nullable T value;

    void set(T answer) {
        value = answer;
        given.countDown();
    }

    /** The answer, or null if none came in time. */
    @Nullable
    T await(Duration limit) throws InterruptedException {
        return given.await(limit.toNanos(), TimeUnit.NANOSECONDS) ? value : null;
    }
}
