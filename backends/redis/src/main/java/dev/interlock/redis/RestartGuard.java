package dev.interlock.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Decides how long a server must not grant, because it may have lost locks that are still held.
 *
 * <p>A lease that the server has lost ends at the latest one longest lease after the server's start. So the quarantine
 * ends then, no matter which process notices the restart, and when.
 */
record RestartGuard(RedisBackend.Guard kind, Duration longestLease) {
    /**
     * @param before the facts from this process's previous connection to the server, if there was one
     * @param syncsEveryWrite whether every grant was on disk before the server replied
     */
    long quarantineMillis(@Nullable ServerFacts before, ServerFacts now, boolean syncsEveryWrite) {
        boolean replaced = before != null && !before.runId().equals(now.runId());
        boolean promoted = before != null && replaced && now.succeeds(before);
        return switch (kind) {
            case OFF -> 0;
            case STANDARD -> replaced && !promoted && !syncsEveryWrite ? untilOldEnough(now) : 0;
            case STRICT -> promoted ? longestLease.toMillis() : syncsEveryWrite ? 0 : untilOldEnough(now);
        };
    }

    private long untilOldEnough(ServerFacts now) {
        // The uptime is a difference of two times in whole seconds, so the server may be a second younger than it
        // reports.
        return Math.max(0, longestLease.toMillis() - 1_000 * Math.max(0, now.uptimeSeconds() - 1));
    }
}
