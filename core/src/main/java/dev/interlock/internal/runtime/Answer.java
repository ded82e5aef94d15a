package dev.interlock.internal.runtime;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** One answer that a thread waits for. */
public final class Answer<T> {
    private final CountDownLatch given = new CountDownLatch(1);
    private volatile @Nullable T value;

    public void set(T answer) {
        value = answer;
        given.countDown();
    }

    /** Waits for the answer; null if there was none within the limit. */
    public @Nullable T await(Duration limit) throws InterruptedException {
        return given.await(limit.toNanos(), TimeUnit.NANOSECONDS) ? value : null;
    }
}
