package dev.interlock.internal.lock;

import dev.interlock.lock.LearnedOrder;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Claim;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.function.Supplier;

/** Tells listeners what happens, on a thread of its own; costs nothing when nobody listens. */
final class Events {
    /** So many events may wait for slow listeners before further ones are dropped. */
    private static final int MOST_WAITING = 10_000;

    private final Engine engine;
    private final List<LockListener> listeners;
    private final Executor executor;
    private final AtomicInteger waiting = new AtomicInteger();
    private final AtomicLong dropped = new AtomicLong();

    Events(Engine engine, List<LockListener> listeners, Executor executor) {
        this.engine = engine;
        this.listeners = listeners;
        this.executor = executor;
    }

    boolean isHeard() {
        return !listeners.isEmpty();
    }

    void attempted(List<Claim> claims) {
        tell(() -> new LockEvent.Attempted(
                keys(claims), type(claims), claims.get(0).mode()));
    }

    void granted(Hold hold, long waitedNanos) {
        tell(() -> new LockEvent.Granted(
                hold.keys(), engine.typeOf(hold), hold.mode(0), Duration.ofNanos(waitedNanos), hold.wasPassed()));
    }

    void refused(List<Claim> claims, long waitedNanos, LockEvent.Refusal why) {
        tell(() -> new LockEvent.Refused(
                keys(claims), type(claims), claims.get(0).mode(), Duration.ofNanos(Math.max(0, waitedNanos)), why));
    }

    void renewed(Hold hold) {
        tell(() -> new LockEvent.Renewed(
                hold.keys(), engine.typeOf(hold), Duration.ofNanos(hold.remainingNanos(engine.now()))));
    }

    void lost(Hold hold, LossReason reason) {
        tell(() -> new LockEvent.Lost(
                hold.keys(), engine.typeOf(hold), reason, Duration.ofNanos(hold.heldNanos(engine.now()))));
    }

    void released(Hold hold, ReleaseResult result, long heldNanos) {
        tell(() -> new LockEvent.Released(hold.keys(), engine.typeOf(hold), result, Duration.ofNanos(heldNanos)));
    }

    void orderViolated(List<Claim> claims, LockKey held, String scope, boolean refused) {
        tell(() -> new LockEvent.OrderViolated(keys(claims), type(claims), held, scope, refused));
    }

    void orderInverted(LockKey wanted, String type, LearnedOrder.Inversion inversion) {
        tell(() -> new LockEvent.OrderInverted(List.of(wanted), type, inversion));
    }

    void leaked(LeaseRef lease) {
        tell(() -> new LockEvent.Leaked(lease.hold.keys(), engine.typeOf(lease.hold), lease.acquiredAt));
    }

    private void tell(Supplier<LockEvent> event) {
        if (listeners.isEmpty()) {
            return;
        }
        if (waiting.incrementAndGet() > MOST_WAITING) {
            waiting.decrementAndGet();
            dropped.incrementAndGet();
            return;
        }
        LockEvent told = event.get();
        executor.execute(() -> {
            waiting.decrementAndGet();
            listeners.forEach(listener -> tell(listener, told));
            reportDropped();
        });
    }

    private void tell(LockListener listener, LockEvent event) {
        try {
            listener.on(event);
        } catch (RuntimeException | LinkageError | AssertionError e) {
            engine.log().log(System.Logger.Level.WARNING, "A lock listener failed on " + event, e);
        }
    }

    private void reportDropped() {
        if (dropped.get() > 0 && waiting.get() == 0) {
            engine.log().log(
                    System.Logger.Level.WARNING,
                    "{0} lock events were dropped: a listener is too slow",
                    dropped.getAndSet(0));
        }
    }

    private String type(List<Claim> claims) {
        return engine.typeOf(claims.get(0).key());
    }

    static List<LockKey> keys(List<Claim> claims) {
        return claims.stream().map(Claim::key).toList();
    }
}
