package dev.interlock.redis;

import java.util.concurrent.TimeUnit;

/** An estimate of the server's clock. Only for display: no decision depends on it. */
final class ServerTime {
    private volatile long offsetMillis;

    private static long elapsedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    void update(long serverMillis) {
        offsetMillis = serverMillis - elapsedMillis();
    }

    long millis() {
        return offsetMillis + elapsedMillis();
    }
}
