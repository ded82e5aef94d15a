package dev.interlock.bench.redis;

import dev.interlock.bench.BenchPolling;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import io.lettuce.core.SetArgs;
import java.time.Duration;
import java.util.List;

/**
 * A minimal lock without tokens: {@code SET NX PX} acquires, and a script compares and deletes. One script acquires
 * several names, and one script renews many held locks.
 */
final class RawRedisLocking implements Locking {
    private final RawRedis redis;
    private final String prefix;
    private final SetArgs ifFree;
    private final String leaseMillis;
    private final RawRedis.Script release;
    private final RawRedis.Script acquireAll;
    private final RawRedis.Script releaseAll;
    private final RawRenewal renewal;

    RawRedisLocking(String uri, String prefix, Duration lease) {
        this.redis = new RawRedis(uri);
        this.prefix = prefix;
        this.ifFree = SetArgs.Builder.nx().px(lease.toMillis());
        this.leaseMillis = Long.toString(lease.toMillis());
        this.release = redis.script("raw-release.lua");
        this.acquireAll = redis.script("raw-acquire-all.lua");
        this.releaseAll = redis.script("raw-release-all.lua");
        this.renewal = new RawRenewal(redis.script("raw-renew.lua"), lease);
    }

    @Override
    public LockGuard guard(String name) {
        String key = prefix + name;
        String[] keys = {key};
        return section -> {
            String value = redis.uniqueValue();
            BenchPolling.until(() -> acquire(key, value));
            try {
                section.run();
            } finally {
                release.run(keys, value);
            }
        };
    }

    private boolean acquire(String key, String value) {
        // The reply is OK, or null if the lock is held.
        return RawRedis.answer(redis.commands().set(key, value, ifFree)) != null;
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        String[] keys = names.stream().map(name -> prefix + name).toArray(String[]::new);
        return section -> {
            String value = redis.uniqueValue();
            BenchPolling.until(() -> acquireAll.run(keys, value, leaseMillis) == 1);
            try {
                section.run();
            } finally {
                releaseAll.run(keys, value);
            }
        };
    }

    @Override
    public Runnable hold(String name) {
        String key = prefix + name;
        String value = redis.uniqueValue();
        BenchPolling.until(() -> acquire(key, value));
        renewal.add(key, value);
        return () -> {
            renewal.remove(key);
            release.run(new String[] {key}, value);
        };
    }

    @Override
    public void close() {
        renewal.close();
        redis.close();
    }
}
