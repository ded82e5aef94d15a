package dev.interlock.redis;

import java.time.Duration;

/** The options of a backend. */
record RedisOptions(
        String namespace,
        RedisBackend.Durability durability,
        RedisBackend.Guard guard,
        Duration longestLease,
        Duration silenceLimit,
        boolean evictionAccepted) {
    static final RedisOptions STANDARD = new RedisOptions(
            "",
            RedisBackend.Durability.NONE,
            RedisBackend.Guard.STANDARD,
            Duration.ofSeconds(60),
            Duration.ofSeconds(2),
            false);

    RedisOptions withNamespace(String chosen) {
        return new RedisOptions(chosen, durability, guard, longestLease, silenceLimit, evictionAccepted);
    }

    RedisOptions withDurability(RedisBackend.Durability chosen) {
        return new RedisOptions(namespace, chosen, guard, longestLease, silenceLimit, evictionAccepted);
    }

    RedisOptions withGuard(RedisBackend.Guard chosen) {
        return new RedisOptions(namespace, durability, chosen, longestLease, silenceLimit, evictionAccepted);
    }

    RedisOptions withLongestLease(Duration chosen) {
        return new RedisOptions(namespace, durability, guard, chosen, silenceLimit, evictionAccepted);
    }

    RedisOptions withSilenceLimit(Duration chosen) {
        return new RedisOptions(namespace, durability, guard, longestLease, chosen, evictionAccepted);
    }

    RedisOptions withEvictionAccepted() {
        return new RedisOptions(namespace, durability, guard, longestLease, silenceLimit, true);
    }
}
