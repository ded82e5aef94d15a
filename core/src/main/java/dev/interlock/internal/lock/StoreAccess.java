package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Duration;
import java.util.HexFormat;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * This process at the store: its identity and membership there, and until when a grant of the store may be relied on.
 *
 * <p>Must be opened before its first use. Thread-safe.
 */
final class StoreAccess {
    private final EngineRuntime runtime;
    private final Backend backend;
    private final StoreCapabilities capabilities;
    private final long granularityNanos;
    private final boolean queues;
    private final String incarnation;
    private final String publicId;
    private final AtomicLong attempts = new AtomicLong();
    private final Membership membership;
    private volatile @Nullable LockStore store;

    StoreAccess(EngineRuntime runtime, Backend backend, Map<String, Integer> ranks) {
        this.runtime = runtime;
        this.backend = backend;
        this.capabilities = backend.capabilities();
        this.granularityNanos = capabilities.granularity().toNanos();
        this.queues = capabilities.queue() == StoreCapabilities.Queue.SERVER;
        byte[] bits = new byte[16];
        runtime.environment().random().nextBytes(bits);
        this.incarnation = HexFormat.of().formatHex(bits);
        this.publicId = digest(bits);
        this.membership = new Membership(runtime, this::store, ranks);
    }

    private static String digest(byte[] secret) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(secret), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("Every Java has SHA-256", e);
        }
    }

    private record Context(StoreListener listener, Environment environment, Executor ordinary, Executor urgent)
            implements StoreContext {}

    /** Opens the store, which from now on may call the listener. */
    void open(StoreListener listener) {
        store = backend.openLocks(new Context(
                listener,
                runtime.environment(),
                runtime.threads().storeCalls(),
                runtime.threads().urgentStoreCalls()));
    }

    /** Joins the namespace. An unreachable store is only logged; then the first attempt joins. */
    void join(Duration limit) {
        membership.joinNow(limit);
    }

    void close(boolean keepBackendOpen) {
        store().close();
        if (!keepBackendOpen) {
            backend.close();
        }
    }

    /** Sends an attempt, once this process is a member of the namespace. */
    CompletionStage<AttemptAnswer> attempt(Attempt attempt, long mayBlockNanos) {
        return membership.isJoined()
                ? store().attempt(attempt, mayBlockNanos)
                : membership.join().thenCompose(joined -> store().attempt(attempt, 0));
    }

    LockStore store() {
        return Objects.requireNonNull(store, "The store is not open yet");
    }

    StoreCapabilities capabilities() {
        return capabilities;
    }

    /** Whether waiters queue at the store; otherwise they poll. */
    boolean queues() {
        return queues;
    }

    /** Until when a lease may be relied on that was granted in answer to a request sent at this moment. */
    long validUntil(long sentNanos, Duration lease) {
        long nanos = lease.toNanos();
        return sentNanos + nanos - (long) (nanos * Protocol.DRIFT) - Protocol.MARGIN_NANOS - granularityNanos;
    }

    /**
     * An id of this engine for other processes. Unlike the incarnation, it does not allow releasing this engine's
     * locks.
     */
    String publicId() {
        return publicId;
    }

    OwnerId newOwner() {
        return owner(attempts.incrementAndGet());
    }

    /** The owner id of an attempt of this engine. */
    OwnerId owner(long attempt) {
        return new OwnerId(incarnation, attempt);
    }
}
