package dev.interlock.testkit.checked;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockInterruptedException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.RecordedAttempt;
import dev.interlock.testkit.workers.FencedResource;
import dev.interlock.testkit.workers.ResourceClient;
import dev.interlock.testkit.workers.WorkerRequest;
import dev.interlock.testkit.workers.Workers;
import dev.interlock.testkit.workers.WriterIdentity;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.concurrent.locks.LockSupport;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * A client in the test's own JVM that records what it does: each request before it is sent, each result before it is
 * used.
 *
 * <p>Thread-safe. A {@link Held} lease is used by one thread at a time.
 *
 * @since 0.1.0
 */
public final class CheckedClient implements AutoCloseable {
    /** Every acquire has an owner of its own. */
    private static final AtomicLong OWNERS = new AtomicLong();

    /** Longer than any failover. */
    private static final Duration GRANTED_WITHIN = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(50);

    private final String name;
    private final Interlock interlock;
    private final Workers workers;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "checked-client");
        thread.setDaemon(true);
        return thread;
    });

    CheckedClient(String name, Interlock interlock, Workers workers) {
        this.name = name;
        this.interlock = interlock;
        this.workers = workers;
    }

    static boolean isUnfenced(LockKey key) {
        return key.name().startsWith(WorkerRequest.UNFENCED + ":");
    }

    /** Returns the client's Interlock. */
    public Interlock interlock() {
        return interlock;
    }

    /** Acquires the lock with the usual lease and patience, and renews it. */
    public Held acquire(LockKey key) {
        return acquire(WorkerRequest.of(key, CheckedRun.LEASE, CheckedRun.PATIENCE));
    }

    /** Acquires the lock and throws what the library throws. */
    public Held acquire(WorkerRequest wanted) {
        return acquire(wanted, request -> request);
    }

    /** Acquires the lock with further options and throws what the library throws. */
    public Held acquire(WorkerRequest wanted, UnaryOperator<LockRequest<Lease>> options) {
        long owner = OWNERS.incrementAndGet();
        LockRequest<Lease> request = options.apply(interlock
                .locks()
                .with(wanted.key())
                .in(interlock.locks().newScope(name))
                .leaseFor(wanted.leaseFor())
                .waitAtMost(wanted.waitAtMost())
                .renew(wanted.renew()));
        RecordedAttempt attempt = workers.recorder()
                .acquire(wanted.key().name(), owner, wanted.leaseFor().toNanos());
        try {
            return new Held(request.acquire(), attempt);
        } catch (LockTimeoutException e) {
            if (wanted.waitAtMost().isZero()) {
                attempt.busy();
            } else {
                attempt.timedOut();
            }
            throw e;
        } catch (StoreUnavailableException e) {
            // The caller holds nothing, but the store may have made a grant that the engine is now returning.
            attempt.unknown();
            throw e;
        } catch (LockInterruptedException e) {
            attempt.interrupted();
            throw e;
        }
    }

    /** Retries without patience until the store answers and the lock is free. */
    public Held granted(LockKey key) {
        return granted(WorkerRequest.of(key, CheckedRun.LEASE, Duration.ZERO));
    }

    /** Retries until the store answers and the lock is free. */
    public Held granted(WorkerRequest wanted) {
        long deadline = System.nanoTime() + GRANTED_WITHIN.toNanos();
        while (true) {
            try {
                return acquire(wanted);
            } catch (StoreUnavailableException | LockTimeoutException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        }
    }

    /** Acquires the lock on a thread of its own. */
    public CompletableFuture<Held> acquireAsync(WorkerRequest wanted) {
        return CompletableFuture.supplyAsync(() -> acquire(wanted), threads);
    }

    /** Runs work on a thread of its own. */
    public CompletableFuture<Void> async(Runnable work) {
        return CompletableFuture.runAsync(work, threads);
    }

    /** Waits for a result, longer than any operation may take. */
    public static <T> T await(CompletableFuture<T> begun) {
        return begun.orTimeout(4 * CheckedRun.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        interlock.close();
    }

    /** One lease, from grant to release. */
    public final class Held {
        /** A smaller change of the deadline is not a renewal; the deadline was only read at another moment. */
        private static final long RENEWED_BY_NANOS = 5_000_000;

        private final Lease lease;
        private final RecordedAttempt attempt;
        private final WriterIdentity identity;
        private final FencedResource resource;
        private final AtomicReference<@Nullable LossReason> lost = new AtomicReference<>();
        private long validUntilNanos;

        private Held(Lease lease, RecordedAttempt attempt) {
            this.lease = lease;
            this.attempt = attempt;
            this.resource = isUnfenced(lease.key()) ? workers.unfenced() : workers.fenced();
            // The clock is read before the lease, so the recorded deadline is never later than the true one.
            validUntilNanos = System.nanoTime() + lease.remaining().toNanos();
            attempt.granted(lease.token().value(), validUntilNanos);
            identity = new WriterIdentity(
                    attempt.id(), attempt.owner(), lease.token().value());
            lease.onLost(reason -> {
                attempt.lost();
                lost.set(reason);
            });
        }

        /** The lease itself. */
        public Lease lease() {
            return lease;
        }

        /** The value of the fencing token. */
        public long token() {
            return identity.token();
        }

        /** Why the lease was lost, as its listener was notified; null if it was not lost. */
        public @Nullable LossReason lost() {
            return lost.get();
        }

        /** Whether the lease reports that it is held. Recorded. */
        public boolean isHeld() {
            recordRenewal();
            long asked = System.nanoTime();
            boolean held = lease.isHeld();
            attempt.checked(asked, held);
            return held;
        }

        /** Shows the token to the resource and returns whether the resource accepted it. */
        public boolean raise() {
            step();
            try (ResourceClient client = resource.connect()) {
                return client.raise(name(), identity).accepted();
            }
        }

        /** Reads the value of the resource. */
        public long read() {
            step();
            try (ResourceClient client = resource.connect()) {
                return client.read(name(), identity).value();
            }
        }

        /** Writes without checking the lease: the resource must reject a stale write. */
        public boolean write(long base) {
            long value = identity.attempt();
            if (isUnfenced(lease.key())) {
                // The unfenced twin exists to lose updates, so a lost update there breaks no promise.
                attempt.step();
                try (ResourceClient client = resource.connect()) {
                    return client.write(name(), identity, base, value).accepted();
                }
            }
            attempt.write(base, value);
            try (ResourceClient client = resource.connect()) {
                boolean accepted = client.write(name(), identity, base, value).accepted();
                if (accepted) {
                    attempt.writeAccepted(base, value);
                } else {
                    attempt.writeRefused(base, value);
                }
                return accepted;
            }
        }

        /**
         * Raises, reads and writes; returns whether all of it was accepted. Call it once per lease: a second update
         * would write the same value.
         */
        public boolean update() {
            return raise() && write(read());
        }

        /** Releases the lease. Recorded. */
        public ReleaseResult release() {
            attempt.release();
            ReleaseResult result = lease.release();
            switch (result) {
                case RELEASED -> attempt.released();
                case ALREADY_ENDED -> attempt.wasLost();
                case UNKNOWN -> attempt.releaseUnknown();
            }
            return result;
        }

        /** Updates and releases, as an undisturbed holder does; both must succeed. */
        public void finish() {
            assertThat(update()).as("update of %s", lease.key()).isTrue();
            assertThat(release()).as("release of %s", lease.key()).isEqualTo(ReleaseResult.RELEASED);
        }

        /** Renews the lease. Recorded. */
        public Duration renew(Duration atLeast) {
            Duration left = lease.renew(atLeast);
            recordRenewal();
            return left;
        }

        /** Waits until the lease is renewed: its deadline has moved. */
        public void awaitRenewal() {
            recordRenewal();
            long before = validUntilNanos;
            CheckedRun.until("the lease is renewed", () -> {
                recordRenewal();
                return validUntilNanos > before;
            });
        }

        private String name() {
            return lease.key().name();
        }

        private void step() {
            recordRenewal();
            attempt.step();
        }

        private void recordRenewal() {
            long now = System.nanoTime();
            long remaining = lease.remaining().toNanos();
            if (remaining > 0 && now + remaining - validUntilNanos > RENEWED_BY_NANOS) {
                validUntilNanos = now + remaining;
                attempt.renew();
                attempt.renewed(validUntilNanos);
            }
        }
    }
}
