package dev.interlock.redis;

import java.util.concurrent.TimeUnit;

/** The server's clock as far as it can be told from here; for people, no decision depends on it. */
final class ServerTime {
    private volatile long offsetMillis;

    private static long elapsedMillis() {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime());
    }

    void told(long serverMillis) {
        offsetMillis = serverMillis - elapsedMillis();
    }

    long millis() {
        return offsetMillis + elapsedMillis();
    }
}
