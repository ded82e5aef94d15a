package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.internal.runtime.EventDispatcher;
import dev.interlock.lock.LearnedOrder;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Claim;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Consumer;

/** Publishes lock events to the listeners of the application. */
final class Events {
    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final EventDispatcher<LockEvent> dispatcher;

    Events(EngineRuntime runtime, EngineSettings settings) {
        this.runtime = runtime;
        this.settings = settings;
        List<Consumer<LockEvent>> listeners = new ArrayList<>();
        for (LockListener listener : settings.listeners()) {
            listeners.add(listener::on);
        }
        this.dispatcher = new EventDispatcher<>("lock", listeners, runtime);
    }

    boolean hasListeners() {
        return dispatcher.hasListeners();
    }

    void attempted(List<Claim> claims) {
        dispatcher.publish(() -> new LockEvent.Attempted(
                keys(claims), type(claims), claims.get(0).mode()));
    }

    void granted(Hold hold, long waitedNanos) {
        dispatcher.publish(() -> new LockEvent.Granted(
                hold.keys(), type(hold), hold.mode(0), Duration.ofNanos(waitedNanos), hold.wasPassed()));
    }

    void refused(List<Claim> claims, long waitedNanos, LockEvent.Refusal why) {
        dispatcher.publish(() -> new LockEvent.Refused(
                keys(claims), type(claims), claims.get(0).mode(), Duration.ofNanos(Math.max(0, waitedNanos)), why));
    }

    void renewed(Hold hold) {
        dispatcher.publish(() ->
                new LockEvent.Renewed(hold.keys(), type(hold), Duration.ofNanos(hold.remainingNanos(runtime.now()))));
    }

    void lost(Hold hold, LossReason reason) {
        dispatcher.publish(() ->
                new LockEvent.Lost(hold.keys(), type(hold), reason, Duration.ofNanos(hold.heldNanos(runtime.now()))));
    }

    void released(Hold hold, ReleaseResult result, long heldNanos) {
        dispatcher.publish(() -> new LockEvent.Released(hold.keys(), type(hold), result, Duration.ofNanos(heldNanos)));
    }

    void orderViolated(List<Claim> claims, LockKey held, String scope, boolean refused) {
        dispatcher.publish(() -> new LockEvent.OrderViolated(keys(claims), type(claims), held, scope, refused));
    }

    void orderInverted(LockKey wanted, String type, LearnedOrder.Inversion inversion) {
        dispatcher.publish(() -> new LockEvent.OrderInverted(List.of(wanted), type, inversion));
    }

    void leaked(LeaseRef lease) {
        dispatcher.publish(() -> new LockEvent.Leaked(lease.hold.keys(), type(lease.hold), lease.acquiredAt));
    }

    private String type(Hold hold) {
        return settings.typeOf(hold.grant(0).key());
    }

    private String type(List<Claim> claims) {
        return settings.typeOf(claims.get(0).key());
    }

    private static List<LockKey> keys(List<Claim> claims) {
        return claims.stream().map(Claim::key).toList();
    }
}
