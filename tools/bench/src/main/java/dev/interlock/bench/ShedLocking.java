package dev.interlock.bench;

import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import net.javacrumbs.shedlock.core.LockConfiguration;
import net.javacrumbs.shedlock.core.LockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;

/** ShedLock, which cannot wait, over one of its providers. */
public final class ShedLocking implements Locking {
    private final LockProvider provider;
    private final Duration lease;
    private final Runnable onClose;

    /**
     * With leases of this length.
     *
     * @param onClose closes what the provider needs
     */
    public ShedLocking(LockProvider provider, Duration lease, Runnable onClose) {
        this.provider = provider;
        this.lease = lease;
        this.onClose = onClose;
    }

    @Override
    public Guard guard(String name) {
        return section -> {
            SimpleLock lock = acquire(name);
            try {
                section.run();
            } finally {
                lock.unlock();
            }
        };
    }

    private SimpleLock acquire(String name) {
        Attempt attempt = new Attempt(name);
        Polling.until(attempt::succeeds);
        return attempt.lock.orElseThrow();
    }

    @Override
    public Guard guardAll(List<String> names) {
        throw new UnsupportedOperationException("ShedLock takes one lock at a time");
    }

    @Override
    public Runnable hold(String name) {
        throw new UnsupportedOperationException("ShedLock does not renew by itself");
    }

    @Override
    public void close() {
        onClose.run();
    }

    private final class Attempt {
        private final String name;
        private Optional<SimpleLock> lock = Optional.empty();

        Attempt(String name) {
            this.name = name;
        }

        boolean succeeds() {
            lock = provider.lock(new LockConfiguration(Instant.now(), name, lease, Duration.ZERO));
            return lock.isPresent();
        }
    }
}
