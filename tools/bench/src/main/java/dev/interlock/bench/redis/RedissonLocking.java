package dev.interlock.bench.redis;

import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.redisson.api.RFencedLock;
import org.redisson.api.RLock;
import org.redisson.api.RedissonClient;

/**
 * The locks of Redisson.
 *
 * <p>Guards set a lease time, as the documentation shows. Without one a watchdog renews the lock, and its leftover
 * timers would run during the turns of other contenders. Held locks use the watchdog.
 */
final class RedissonLocking implements Locking {
    private final RedissonClient redisson;
    private final Kind kind;
    private final String prefix;
    private final Duration lease;

    /** The kind of lock. */
    enum Kind {
        REENTRANT,
        FENCED,
        FAIR,
        MULTI,
        GROUP
    }

    RedissonLocking(RedissonClient redisson, String prefix, Duration lease, Kind kind) {
        this.redisson = redisson;
        this.kind = kind;
        this.prefix = prefix;
        this.lease = lease;
    }

    @Override
    public LockGuard guard(String name) {
        String key = prefix + name;
        return switch (kind) {
            case FAIR -> guard(redisson.getFairLock(key));
            case FENCED -> fenced(redisson.getFencedLock(key));
            case REENTRANT, MULTI, GROUP -> guard(redisson.getLock(key));
        };
    }

    private LockGuard fenced(RFencedLock lock) {
        return section -> {
            lock.lockAndGetToken(lease.toMillis(), TimeUnit.MILLISECONDS);
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        };
    }

    private LockGuard guard(RLock lock) {
        return section -> {
            lock.lock(lease.toMillis(), TimeUnit.MILLISECONDS);
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        };
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        // A multi-lock waits for its locks one after the other. Without a common order, two multi-locks could deadlock.
        List<String> sorted = names.stream().sorted().toList();
        return kind == Kind.GROUP
                ? guard(redisson.getMultiLock(prefix + "group", new ArrayList<Object>(sorted)))
                : guard(redisson.getMultiLock(sorted.stream()
                        .map(name -> redisson.getLock(prefix + name))
                        .toArray(RLock[]::new)));
    }

    @Override
    public Runnable hold(String name) {
        RLock lock = redisson.getLock(prefix + name);
        lock.lock();
        return lock::unlock;
    }

    @Override
    public void close() {}
}
