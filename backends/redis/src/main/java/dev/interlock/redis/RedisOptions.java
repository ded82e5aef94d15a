package dev.interlock.redis;

import java.time.Duration;

/** What a user chose. */
record RedisOptions(
        String namespace,
        RedisBackend.Durability durability,
        RedisBackend.Guard guard,
        Duration longestLease,
        Duration silence,
        boolean evictionAccepted) {
    static final RedisOptions STANDARD = new RedisOptions(
            "",
            RedisBackend.Durability.NONE,
            RedisBackend.Guard.STANDARD,
            Duration.ofSeconds(60),
            Duration.ofSeconds(2),
            false);

    RedisOptions withNamespace(String chosen) {
        return new RedisOptions(chosen, durability, guard, longestLease, silence, evictionAccepted);
    }

    RedisOptions withDurability(RedisBackend.Durability chosen) {
        return new RedisOptions(namespace, chosen, guard, longestLease, silence, evictionAccepted);
    }

    RedisOptions withGuard(RedisBackend.Guard chosen) {
        return new RedisOptions(namespace, durability, chosen, longestLease, silence, evictionAccepted);
    }

    RedisOptions withLongestLease(Duration chosen) {
        return new RedisOptions(namespace, durability, guard, chosen, silence, evictionAccepted);
    }

    RedisOptions withSilence(Duration chosen) {
        return new RedisOptions(namespace, durability, guard, longestLease, chosen, evictionAccepted);
    }

    RedisOptions withEvictionAccepted() {
        return new RedisOptions(namespace, durability, guard, longestLease, silence, true);
    }
}
