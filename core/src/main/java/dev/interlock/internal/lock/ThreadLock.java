package dev.interlock.internal.lock;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockSettings;
import dev.interlock.spi.Environment;
import java.time.Duration;
import java.util.ArrayDeque;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.Condition;
import java.util.concurrent.locks.Lock;

/**
 * A key as a {@link Lock}: owned by a thread and re-entrant, for code that needs this interface.
 *
 * <p>The leases of each thread are on a stack of that thread. The scope of the thread makes re-entry work across
 * several of these objects.
 */
final class ThreadLock implements Lock {
    private final LockRequest<Lease> request;
    private final LockKey key;
    private final ThreadLocal<ArrayDeque<Lease>> held = ThreadLocal.withInitial(ArrayDeque::new);

    private final Environment time;
    private final Duration patience;

    ThreadLock(LockRequest<Lease> request, LockKey key, Duration patience, Environment time) {
        this.request = request;
        this.key = key;
        this.patience = patience;
        this.time = time;
    }

    /** Waits for at most the default patience. As the interface requires, an interrupt does not end the wait. */
    @Override
    public void lock() {
        long deadline = time.nanos() + patience.toNanos();
        boolean interrupted = Thread.interrupted();
        try {
            while (true) {
                try {
                    Duration left = Duration.ofNanos(Math.max(1, deadline - time.nanos()));
                    held.get().push(request.waitAtMost(left).acquire());
                    return;
                } catch (LockInterruptedException e) {
                    interrupted = Thread.interrupted();
                }
            }
        } finally {
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
    }

    @Override
    public void lockInterruptibly() throws InterruptedException {
        try {
            held.get().push(request.acquire());
        } catch (LockInterruptedException e) {
            throw interrupted(e);
        }
    }

    @Override
    public boolean tryLock() {
        return push(request.tryAcquire());
    }

    @Override
    public boolean tryLock(long wait, TimeUnit unit) throws InterruptedException {
        try {
            // Callers that want to wait for ever wait for the maximum, a day.
            long nanos = Math.max(0, Math.min(unit.toNanos(wait), LockSettings.MAX_WAIT.toNanos()));
            return push(request.tryAcquire(Duration.ofNanos(nanos)));
        } catch (LockInterruptedException e) {
            throw interrupted(e);
        }
    }

    private boolean push(Optional<Lease> lease) {
        lease.ifPresent(held.get()::push);
        return lease.isPresent();
    }

    private static InterruptedException interrupted(LockInterruptedException e) {
        Thread.interrupted(); // the exception replaces the flag
        InterruptedException checked = new InterruptedException(e.getMessage());
        checked.initCause(e);
        return checked;
    }

    @Override
    public void unlock() {
        ArrayDeque<Lease> leases = held.get();
        Lease lease = leases.poll();
        if (lease == null) {
            throw new IllegalMonitorStateException("\"" + key + "\" is not locked by thread "
                    + Thread.currentThread().getName() + " through this object");
        }
        if (leases.isEmpty()) {
            held.remove();
        }
        try {
            lease.ensureHeld();
        } finally {
            lease.close();
        }
    }

    @Override
    public Condition newCondition() {
        throw new UnsupportedOperationException("A distributed lock has no conditions: wait for the state itself");
    }

    @Override
    public String toString() {
        return "Lock[" + key + "]";
    }
}
