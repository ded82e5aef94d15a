package dev.interlock.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ScheduledThreadPoolExecutor;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import net.javacrumbs.shedlock.support.KeepAliveLockProvider;

/**
 * ShedLock, with one of its providers. It cannot wait, so it polls. Held locks are extended after half of the lease, as
 * its documentation shows; ShedLock refuses to do this for leases below half a minute.
 */
public final class ShedLocking implements Locking {
    /** Each extension is a separate call. One thread would be too slow for ten thousand of them. */
    private static final int RENEWING_THREADS = 4;

    private final ExtensibleLockProvider provider;
    private final LockProvider keptAlive;
    private final ScheduledThreadPoolExecutor renewals;
    private final Duration lease;
    private final Runnable onClose;

    /**
     * With leases of this length.
     *
     * @param onClose closes what the provider needs
     */
    public ShedLocking(ExtensibleLockProvider provider, Duration lease, Runnable onClose) {
        this.provider = provider;
        this.renewals = new ScheduledThreadPoolExecutor(RENEWING_THREADS, task -> {
            Thread thread = new Thread(task, "shedlock-renewal");
            thread.setDaemon(true);
            return thread;
        });
        this.keptAlive = new KeepAliveLockProvider(provider, renewals);
        this.lease = lease;
        this.onClose = onClose;
    }

    @Override
    public LockGuard guard(String name) {
        return section -> {
            SimpleLock lock = acquire(provider, name);
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        };
    }

    private SimpleLock acquire(LockProvider from, String name) {
        Attempt attempt = new Attempt(from, name);
        BenchPolling.until(attempt::succeeds);
        return attempt.lock.orElseThrow();
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        return new SequentialGuard(SequentialGuard.sorted(names), name -> () -> acquire(provider, name)::unlock);
    }

    @Override
    public Runnable hold(String name) {
        return acquire(keptAlive, name)::unlock;
    }

    @Override
    public void close() {
        renewals.shutdownNow();
        onClose.run();
    }

    private final class Attempt {
        private final LockProvider from;
        private final String name;
        private Optional<SimpleLock> lock = Optional.empty();

        Attempt(LockProvider from, String name) {
            this.from = from;
            this.name = name;
        }

        boolean succeeds() {
            lock = from.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO));
            return lock.isPresent();
        }
    }
}
