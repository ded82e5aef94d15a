package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.WaitAnswer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import org.junit.jupiter.api.Tag;

/** The reference backend as a simple store: it has no queue and pushes nothing. */
@Tag("full")
class PolledBackendTckTest extends BackendTck {
    private final FakeClock clock = new FakeClock();
    private final Map<String, Backend> namespaces = new ConcurrentHashMap<>();

    @Override
    protected Backend connect(String namespace) {
        return namespaces.computeIfAbsent(namespace, name -> {
            Backend memory = InMemoryBackend.create(clock::worldNanos, 1);
            StoreCapabilities capabilities = DecoratedBackend.with(
                    memory.capabilities(), StoreCapabilities.Queue.NONE, StoreCapabilities.Push.NONE);
            return new DecoratedBackend(
                    memory, "polled memory", capabilities, (inner, context) -> new Polled(inner.openLocks(context)));
        });
    }

    @Override
    protected TckTime time() {
        return TckTime.of(clock);
    }

    private static final class Polled extends DecoratedStore {
        Polled(LockStore inner) {
            super(inner);
        }

        @Override
        public CompletionStage<AttemptAnswer> attempt(Attempt a, long mayBlockNanos) {
            return super.attempt(
                    new Attempt(
                            a.id(),
                            a.claims(),
                            a.held(),
                            false,
                            a.tokenFloor(),
                            a.heartbeatWithin(),
                            a.patience(),
                            a.label()),
                    mayBlockNanos);
        }

        @Override
        public CompletionStage<List<WaitAnswer>> keepWaiting(List<PlaceId> places) {
            List<LockKey> keys = places.stream().map(PlaceId::key).toList();
            throw new AssertionError("Heartbeat for waiters of " + keys + ", but the store has no queue");
        }
    }
}
