package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.WaitAnswer;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;

/**
 * A process without an engine: a backend, its open store, and the grants pushed to it. It sends no heartbeats by
 * itself.
 */
final class BareProcess implements AutoCloseable, StoreContext, StoreListener {
    static final Duration LONG = Duration.ofSeconds(60);

    final List<Granted> pushed = new CopyOnWriteArrayList<>();
    private final RedisBackend backend;
    private final LockStore store;
    private final String incarnation = UUID.randomUUID().toString();
    private long attempts;

    BareProcess(RedisBackend backend) {
        this.backend = backend;
        this.store = backend.openLocks(this);
    }

    LockStore store() {
        return store;
    }

    OwnerId newId() {
        return new OwnerId(incarnation, ++attempts);
    }

    static Claim claim(LockKey key, LockMode mode, Duration lease) {
        return new Claim(key, mode, 1, 1, lease, Duration.ZERO);
    }

    static Claim exclusive(LockKey key) {
        return claim(key, LockMode.EXCLUSIVE, LONG);
    }

    static Attempt attempt(OwnerId id, boolean enqueue, Duration heartbeatWithin, Claim... claims) {
        return new Attempt(id, Arrays.asList(claims), List.of(), enqueue, 0, heartbeatWithin, LONG, "bare");
    }

    AttemptAnswer ask(OwnerId id, Claim... claims) {
        return answer(store.attempt(attempt(id, false, LONG, claims), 0));
    }

    AttemptAnswer queue(OwnerId id, Claim... claims) {
        return answer(store.attempt(attempt(id, true, LONG, claims), 0));
    }

    Granted take(LockKey key) {
        AttemptAnswer answer = ask(newId(), exclusive(key));
        if (answer instanceof AttemptAnswer.All all) {
            return all.granted().get(0);
        }
        throw new AssertionError(key + " is not free: " + answer);
    }

    ReleaseAnswer release(Grant grant) {
        return answer(store.release(List.of(grant), 0)).get(0);
    }

    WaitAnswer keepWaiting(OwnerId id, LockKey key) {
        return answer(store.keepWaiting(List.of(new PlaceId(id, key)))).get(0);
    }

    static Renewal renewal(Grant grant, Duration lease) {
        return new Renewal(grant, lease, Duration.ZERO);
    }

    static <T> T answer(CompletionStage<T> stage) {
        return answer(stage, Duration.ofSeconds(20));
    }

    static <T> T answer(CompletionStage<T> stage, Duration within) {
        try {
            return stage.toCompletableFuture()
                    .copy()
                    .orTimeout(within.toMillis(), TimeUnit.MILLISECONDS)
                    .join();
        } catch (CompletionException e) {
            throw e.getCause() instanceof RuntimeException cause ? cause : e;
        }
    }

    @Override
    public Executor ordinary() {
        return Runnable::run;
    }

    @Override
    public Executor urgent() {
        return Runnable::run;
    }

    @Override
    public StoreListener listener() {
        return this;
    }

    @Override
    public Environment environment() {
        return (Environment) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Environment.class}, (self, method, args) -> {
                    return switch (method.getName()) {
                        case "wall" -> Instant.now();
                        case "nanos" -> System.nanoTime();
                        default -> throw new UnsupportedOperationException(method.getName());
                    };
                });
    }

    @Override
    public void granted(Granted granted) {
        pushed.add(granted);
    }

    @Override
    public void maybeFree(LockKey key) {}

    @Override
    public void sessionLost(LossReason reason) {}

    @Override
    public void reconnected() {}

    @Override
    public void close() {
        store.close();
        backend.close();
    }
}
