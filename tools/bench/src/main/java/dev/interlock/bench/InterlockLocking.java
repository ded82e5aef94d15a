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

/** Interlock as an application uses it: a new request for each operation, leases that are renewed. */
public final class InterlockLocking implements Locking {
    /** Far longer than any wait here, so that a slow moment of the computer is not a failure of the lock. */
    private static final Duration PATIENCE = Duration.ofSeconds(30);

    private static final Duration PAUSE = Duration.ofMillis(100);

    private final Interlock interlock;
    private final Locks locks;

    private InterlockLocking(Interlock.Builder builder, LockSettings settings) {
        interlock = builder.defaults(settings.waitAtMost(PATIENCE)).build();
        locks = interlock.locks();
    }

    /** Interlock with its defaults. The backend is closed with it. */
    public static InterlockLocking standard(Backend backend) {
        return new InterlockLocking(Interlock.builder(backend), LockSettings.standard());
    }

    /** Interlock that lets threads of a process in strictly in the order in which they asked. */
    public static InterlockLocking strictFifo(Backend backend) {
        return new InterlockLocking(Interlock.builder(backend).strictFifo(), LockSettings.standard());
    }

    /** Interlock with leases of this length, renewed at a third of it. */
    public static InterlockLocking leasing(Backend backend, Duration lease) {
        return new InterlockLocking(
                Interlock.builder(backend), LockSettings.standard().leaseFor(lease));
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

    /** Asks a store again that did not answer in time: held locks are counted once all are held, however long that took. */
    @Override
    public Runnable hold(String name) {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        while (true) {
            try {
                // A scope that holds ten thousand locks is no unit of work; what is asked for asynchronously joins
                // none.
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
