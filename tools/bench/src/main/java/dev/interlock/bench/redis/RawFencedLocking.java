package dev.interlock.bench.redis;

import dev.interlock.bench.BenchPolling;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import java.time.Duration;
import java.util.List;

/** A minimal lock with tokens: one script sets the lock and increments a counter, another one compares and deletes. */
final class RawFencedLocking implements Locking {
    private final RawRedis redis;
    private final String prefix;
    private final String leaseMillis;
    private final RawRedis.Script acquire;
    private final RawRedis.Script release;

    RawFencedLocking(String uri, String prefix, Duration lease) {
        this.redis = new RawRedis(uri);
        this.prefix = prefix;
        this.leaseMillis = Long.toString(lease.toMillis());
        this.acquire = redis.script("raw-fenced-acquire.lua");
        this.release = redis.script("raw-release.lua");
    }

    @Override
    public LockGuard guard(String name) {
        String[] lock = {prefix + name};
        String[] lockAndCounter = {lock[0], prefix + "counter"};
        return section -> {
            String value = redis.uniqueValue();
            BenchPolling.until(() -> acquire.run(lockAndCounter, value, leaseMillis) > 0);
            try {
                section.run();
            } finally {
                release.run(lock, value);
            }
        };
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        throw new UnsupportedOperationException("The minimal fenced lock supports one lock at a time");
    }

    @Override
    public Runnable hold(String name) {
        throw new UnsupportedOperationException("The minimal fenced lock does not renew");
    }

    @Override
    public void close() {
        redis.close();
    }
}
