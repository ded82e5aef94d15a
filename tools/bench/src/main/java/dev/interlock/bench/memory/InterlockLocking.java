package dev.interlock.bench.memory;

import dev.interlock.Interlock;
import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.Locks;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.List;

/** Interlock as an application uses it: a new request for each operation, leases that are renewed. */
final class InterlockLocking implements Locking {
    /** Far longer than any wait here, so that a slow moment of the computer is not a failure of the lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private final Interlock interlock;
    private final Locks locks;

    private InterlockLocking(Interlock.Builder builder) {
        interlock =
                builder.defaults(LockSettings.standard().waitAtMost(PATIENCE)).build();
        locks = interlock.locks();
    }

    static InterlockLocking standard() {
        return new InterlockLocking(Interlock.builder(InMemoryBackend.create()));
    }

    static InterlockLocking strictFifo() {
        return new InterlockLocking(Interlock.builder(InMemoryBackend.create()).strictFifo());
    }

    @Override
    public Guard guard(String name) {
        LockKey key = LockKey.of(name);
        return section -> {
            try (Lease lease = locks.acquire(key)) {
                section.run();
            }
        };
    }

    @Override
    public Guard guardAll(List<String> names) {
        List<LockKey> keys = names.stream().map(LockKey::of).toList();
        return section -> {
            try (var leases = locks.with(keys).acquire()) {
                section.run();
            }
        };
    }

    @Override
    public Runnable hold(String name) {
        // A scope that holds ten thousand locks is no unit of work; what is asked for asynchronously joins none.
        Lease lease = locks.acquireAsync(LockKey.of(name)).toCompletableFuture().join();
        return lease::close;
    }

    @Override
    public void close() {
        interlock.close();
    }
}
