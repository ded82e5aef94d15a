package dev.interlock.redis;

import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * How long a server must not grant, because it may have forgotten locks that are still held.
 *
 * <p>A lease that a server has forgotten ended at the latest one longest lease after the server's start, so the quarantine needs to
 * last no longer than that, whoever notices the restart and however late.
 */
record RestartGuard(RedisBackend.Guard kind, Duration longestLease) {
    /**
     * @param before what the server at this address was, as far as this process knows
     * @param syncsEveryWrite whether what it has granted is surely on disk
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
        // Told as the difference of two times in whole seconds, so it may be up to a second younger than it says.
        return Math.max(0, longestLease.toMillis() - 1_000 * Math.max(0, now.uptimeSeconds() - 1));
    }
}
