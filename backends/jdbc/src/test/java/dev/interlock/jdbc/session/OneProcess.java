package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.awaitility.Awaitility;

/** A process without an engine: it makes only the calls of the test. */
final class OneProcess implements StoreContext, StoreListener, AutoCloseable {
    private static final Duration LEASE = Duration.ofMinutes(1);

    final Backend backend;
    final LockStore store;
    final AtomicInteger lostSessions = new AtomicInteger();
    private final ExecutorService ordinary;
    private final ExecutorService urgent = Executors.newFixedThreadPool(2);
    private final String incarnation = UUID.randomUUID().toString();
    private long attempts;

    OneProcess(Backend backend) {
        this(backend, 2);
    }

    /** One thread makes the attempts, so those that arrive while it is busy are batched. */
    OneProcess(Backend backend, int threads) {
        this.ordinary = Executors.newFixedThreadPool(threads);
        this.backend = backend;
        this.store = backend.openLocks(this);
    }

    Attempt attempt(LockKey... keys) {
        return attempt(LockMode.EXCLUSIVE, keys);
    }

    Attempt attempt(LockMode mode, LockKey... keys) {
        return attempt(List.of(keys).stream()
                .map(key -> new Claim(key, mode, 1, 1, LEASE, Duration.ZERO))
                .toList());
    }

    Attempt attempt(List<Claim> claims) {
        return new Attempt(
                new OwnerId(incarnation, ++attempts), claims, List.of(), false, 0, LEASE, LEASE, "one process");
    }

    AttemptAnswer send(Attempt attempt) {
        return answer(store.attempt(attempt, 0));
    }

    /** The only grant of an attempt, which must be granted. */
    Granted take(Attempt attempt) {
        AttemptAnswer answer = send(attempt);
        if (answer instanceof AttemptAnswer.All all) {
            return all.granted().get(0);
        }
        throw new AssertionError("Not granted but " + answer);
    }

    Granted take(LockKey key) {
        return take(attempt(key));
    }

    boolean isBusy(Attempt attempt) {
        return send(attempt) instanceof AttemptAnswer.Busy;
    }

    /**
     * Repeats an attempt until it is granted, as the engine does after an unknown answer or while a dead session still
     * exists.
     */
    Granted takeInTheEnd(Attempt attempt) {
        AttemptAnswer answer = Awaitility.await()
                .ignoreException(StoreException.class)
                .until(() -> send(attempt), AttemptAnswer.All.class::isInstance);
        return ((AttemptAnswer.All) answer).granted().get(0);
    }

    ReleaseAnswer release(Grant grant) {
        return answer(store.release(List.of(grant), 0)).get(0);
    }

    List<Granted> withdraw(Attempt attempt) {
        return answer(store.withdraw(
                attempt.id(), attempt.claims().stream().map(Claim::key).toList()));
    }

    static <T> T answer(CompletionStage<T> stage) {
        try {
            return stage.toCompletableFuture().orTimeout(30, TimeUnit.SECONDS).join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public Executor ordinary() {
        return ordinary;
    }

    @Override
    public Executor urgent() {
        return urgent;
    }

    @Override
    public StoreListener listener() {
        return this;
    }

    @Override
    public Environment environment() {
        throw new UnsupportedOperationException("Session locks keep time by themselves");
    }

    @Override
    public void granted(Granted granted) {
        throw new AssertionError("Nothing is pushed");
    }

    @Override
    public void maybeFree(LockKey key) {
        throw new AssertionError("Nothing is hinted");
    }

    @Override
    public void sessionLost(LossReason reason) {
        lostSessions.incrementAndGet();
    }

    @Override
    public void reconnected() {}

    @Override
    public void close() {
        store.close();
        backend.close();
        ordinary.shutdown();
        urgent.shutdown();
    }
}
