package dev.interlock.testkit.judged;

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
import dev.interlock.testkit.history.Attempt;
import dev.interlock.testkit.workers.Ask;
import dev.interlock.testkit.workers.Bearer;
import dev.interlock.testkit.workers.FencedResource;
import dev.interlock.testkit.workers.ResourceClient;
import dev.interlock.testkit.workers.Workers;
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
 * A client in the test's own JVM that writes everything down: what is asked before it is asked, what was heard before it is acted upon.
 *
 * <p>Thread-safe; what it holds is used by one thread at a time.
 */
public final class JudgedClient implements AutoCloseable {
    /** Every acquire is by an owner of its own. */
    private static final AtomicLong OWNERS = new AtomicLong();

    /** Outlasts any failover. */
    private static final Duration GRANTED_WITHIN = Duration.ofSeconds(30);

    private static final Duration POLL = Duration.ofMillis(50);

    private final String name;
    private final Interlock interlock;
    private final Workers workers;
    private final ExecutorService threads = Executors.newCachedThreadPool(work -> {
        Thread thread = new Thread(work, "judged-client");
        thread.setDaemon(true);
        return thread;
    });

    JudgedClient(String name, Interlock interlock, Workers workers) {
        this.name = name;
        this.interlock = interlock;
        this.workers = workers;
    }

    static boolean isUnfenced(LockKey key) {
        return key.name().startsWith(Ask.UNFENCED + ":");
    }

    /** What it locks with. */
    public Interlock interlock() {
        return interlock;
    }

    /** Takes the lock with the usual lease and patience, kept alive. */
    public Held acquire(LockKey key) {
        return acquire(Ask.of(key, JudgedRun.LEASE, JudgedRun.PATIENCE));
    }

    /** Takes the lock as asked; throws what the library throws. */
    public Held acquire(Ask ask) {
        return acquire(ask, request -> request);
    }

    /** Takes the lock as asked, with further options; throws what the library throws. */
    public Held acquire(Ask ask, UnaryOperator<LockRequest<Lease>> options) {
        long owner = OWNERS.incrementAndGet();
        LockRequest<Lease> request = options.apply(interlock
                .locks()
                .with(ask.key())
                .in(interlock.locks().newScope(name))
                .leaseFor(ask.leaseFor())
                .waitAtMost(ask.waitAtMost())
                .renew(ask.renew()));
        Attempt attempt = workers.recorder()
                .acquire(ask.key().name(), owner, ask.leaseFor().toNanos());
        try {
            return new Held(request.acquire(), attempt);
        } catch (LockTimeoutException e) {
            if (ask.waitAtMost().isZero()) {
                attempt.busy();
            } else {
                attempt.timedOut();
            }
            throw e;
        } catch (StoreUnavailableException e) {
            // The caller holds nothing, but the store may have granted what is now being taken back.
            attempt.unknown();
            throw e;
        } catch (LockInterruptedException e) {
            attempt.interrupted();
            throw e;
        }
    }

    /** Asks again and again, each time without patience, until the store answers and the lock is free. */
    public Held granted(LockKey key) {
        return granted(Ask.of(key, JudgedRun.LEASE, Duration.ZERO));
    }

    /** Asks again and again, until the store answers and the lock is free. */
    public Held granted(Ask ask) {
        long deadline = System.nanoTime() + GRANTED_WITHIN.toNanos();
        while (true) {
            try {
                return acquire(ask);
            } catch (StoreUnavailableException | LockTimeoutException e) {
                if (System.nanoTime() > deadline) {
                    throw e;
                }
                LockSupport.parkNanos(POLL.toNanos());
            }
        }
    }

    /** Takes the lock on a thread of its own. */
    public CompletableFuture<Held> acquireAsync(Ask ask) {
        return CompletableFuture.supplyAsync(() -> acquire(ask), threads);
    }

    /** Does something on a thread of its own. */
    public CompletableFuture<Void> async(Runnable work) {
        return CompletableFuture.runAsync(work, threads);
    }

    /** Waits for something that was begun, longer than anything may take. */
    public static <T> T await(CompletableFuture<T> begun) {
        return begun.orTimeout(4 * JudgedRun.PATIENCE.toMillis(), TimeUnit.MILLISECONDS)
                .join();
    }

    @Override
    public void close() {
        threads.shutdownNow();
        interlock.close();
    }

    /** One lease, from grant to release. */
    public final class Held {
        /** A deadline that moved by less was not renewed, only read at another moment. */
        private static final long RENEWED_BY_NANOS = 5_000_000;

        private final Lease lease;
        private final Attempt attempt;
        private final Bearer bearer;
        private final FencedResource resource;
        private final AtomicReference<@Nullable LossReason> lost = new AtomicReference<>();
        private long validUntilNanos;

        private Held(Lease lease, Attempt attempt) {
            this.lease = lease;
            this.attempt = attempt;
            this.resource = isUnfenced(lease.key()) ? workers.unfenced() : workers.fenced();
            // The clock before the question: the deadline that is written down is never later than the true one.
            validUntilNanos = System.nanoTime() + lease.remaining().toNanos();
            attempt.granted(lease.token().value(), validUntilNanos);
            bearer = new Bearer(attempt.id(), attempt.owner(), lease.token().value());
            lease.onLost(reason -> {
                attempt.lost();
                lost.set(reason);
            });
        }

        /** The lease itself. */
        public Lease lease() {
            return lease;
        }

        /** The value of its token. */
        public long token() {
            return bearer.token();
        }

        /** Why it was lost, as its listener was told; null if it was not. */
        public @Nullable LossReason lost() {
            return lost.get();
        }

        /** Whether the lease says that it is held; on record. */
        public boolean isHeld() {
            noteRenewal();
            long asked = System.nanoTime();
            boolean held = lease.isHeld();
            attempt.checked(asked, held);
            return held;
        }

        /** Shows the token to the resource; whether that was accepted. */
        public boolean raise() {
            step();
            try (ResourceClient client = resource.connect()) {
                return client.raise(name(), bearer).accepted();
            }
        }

        /** Reads what the resource has. */
        public long read() {
            step();
            try (ResourceClient client = resource.connect()) {
                return client.read(name(), bearer).value();
            }
        }

        /** Writes, whatever the lease thinks of itself: it is for the resource to refuse. */
        public boolean write(long base) {
            long value = bearer.attempt();
            if (isUnfenced(lease.key())) {
                // The control is there to lose updates, so an acknowledged write that gets lost there is no broken
                // promise.
                attempt.step();
                try (ResourceClient client = resource.connect()) {
                    return client.write(name(), bearer, base, value).accepted();
                }
            }
            attempt.write(base, value);
            try (ResourceClient client = resource.connect()) {
                boolean accepted = client.write(name(), bearer, base, value).accepted();
                if (accepted) {
                    attempt.writeAccepted(base, value);
                } else {
                    attempt.writeRefused(base, value);
                }
                return accepted;
            }
        }

        /** Raise, read, write; whether all was accepted. A second update in one tenure would not be a new value. */
        public boolean update() {
            return raise() && write(read());
        }

        /** Gives the lease back; on record. */
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

        /** What an undisturbed owner does: updates, and gives back what it still holds. */
        public void finish() {
            assertThat(update()).as("update of %s", lease.key()).isTrue();
            assertThat(release()).as("release of %s", lease.key()).isEqualTo(ReleaseResult.RELEASED);
        }

        /** Renews it; on record. */
        public Duration renew(Duration atLeast) {
            Duration left = lease.renew(atLeast);
            noteRenewal();
            return left;
        }

        /** Waits until the lease was kept alive: its deadline has moved. */
        public void awaitRenewal() {
            noteRenewal();
            long before = validUntilNanos;
            JudgedRun.until("the lease is renewed", () -> {
                noteRenewal();
                return validUntilNanos > before;
            });
        }

        private String name() {
            return lease.key().name();
        }

        private void step() {
            noteRenewal();
            attempt.step();
        }

        private void noteRenewal() {
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
