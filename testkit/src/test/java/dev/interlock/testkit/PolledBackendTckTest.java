package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.Place;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.WaitAnswer;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;

/** The reference backend as if it knew no queue and told nothing: what every simple store looks like. */
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
        public CompletionStage<AttemptAnswer> attempt(Attempt a) {
            return super.attempt(new Attempt(
                    a.id(), a.claims(), a.held(), false, a.tokenFloor(), a.heardWithin(), a.patience(), a.label()));
        }

        @Override
        public CompletionStage<List<WaitAnswer>> keepWaiting(List<Place> places) {
            List<LockKey> keys = places.stream().map(Place::key).toList();
            throw new AssertionError("Asked about waiters of " + keys + ", but there is no queue");
        }
    }
}
