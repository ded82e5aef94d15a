package dev.interlock.bench.redis;

import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.Polling;
import java.time.Duration;
import java.util.List;

/** The floor with tokens: one script that sets the lock and raises a counter, and one that compares and deletes. */
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
    public Guard guard(String name) {
        String[] lock = {prefix + name};
        String[] lockAndCounter = {lock[0], prefix + "counter"};
        return section -> {
            String value = redis.uniqueValue();
            Polling.until(() -> acquire.run(lockAndCounter, value, leaseMillis) > 0);
            try {
                section.run();
            } finally {
                release.run(lock, value);
            }
        };
    }

    @Override
    public Guard guardAll(List<String> names) {
        throw new UnsupportedOperationException("The fenced floor takes one lock at a time");
    }

    @Override
    public Runnable hold(String name) {
        throw new UnsupportedOperationException("The fenced floor does not renew");
    }

    @Override
    public void close() {
        redis.close();
    }
}
