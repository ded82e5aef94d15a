package dev.interlock.bench;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.Locks;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletionException;
import java.util.concurrent.locks.LockSupport;

/** Interlock as an application uses it: a new request per operation, leases that are renewed. */
public final class InterlockLocking implements Locking {
    /** Far longer than any wait here, so that a slow phase of the computer does not count as a failure. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Interlock interlock;
    private final Locks locks;

    private InterlockLocking(Interlock.Builder builder, LockSettings settings) {
        interlock = builder.defaults(settings.waitAtMost(PATIENCE)).build();
        locks = interlock.locks();
    }

    /** Interlock with its default settings. Closes the backend. */
    public static InterlockLocking standard(Backend backend) {
        return new InterlockLocking(Interlock.builder(backend), LockSettings.standard());
    }

    /** Interlock that serves the threads of a process in strict arrival order. */
    public static InterlockLocking strictFifo(Backend backend) {
        return new InterlockLocking(Interlock.builder(backend).strictFifo(), LockSettings.standard());
    }

    /** Interlock with leases of this length, renewed after a third of it. */
    public static InterlockLocking leasing(Backend backend, Duration lease) {
        return new InterlockLocking(
                Interlock.builder(backend), LockSettings.standard().leaseFor(lease));
    }

    @Override
    public LockGuard guard(String name) {
        LockKey key = LockKey.of(name);
        return section -> {
            try (Lease lease = locks.acquire(key)) {
                section.run();
            }
        };
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        List<LockKey> keys = names.stream().map(LockKey::of).toList();
        return section -> {
            try (var leases = locks.with(keys).acquire()) {
                section.run();
            }
        };
    }

    /**
     * Repeats the request if the store did not answer in time. The benchmark counts held locks only when all are held.
     */
    @Override
    public Runnable hold(String name) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                // Asynchronous requests do not join the scope of the thread. One scope with ten thousand locks would
                // not be realistic.
                Lease lease = locks.acquireAsync(LockKey.of(name))
                        .toCompletableFuture()
                        .join();
                return lease::close;
            } catch (CompletionException e) {
                if (!(e.getCause() instanceof StoreUnavailableException) || System.nanoTime() - deadline > 0) {
                    throw e;
                }
                LockSupport.parkNanos(PAUSE.toNanos());
            }
        }
    }

    @Override
    public void close() {
        interlock.close();
    }
}
