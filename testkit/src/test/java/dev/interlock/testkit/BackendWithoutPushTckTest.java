package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.Surroundings;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;

/** The reference backend with every push lost: heartbeats alone must find every grant. */
class BackendWithoutPushTckTest extends BackendTck {
    private final FakeClock clock = new FakeClock();
    private final Map<String, Backend> namespaces = new ConcurrentHashMap<>();

    @Override
    protected Backend connect(String namespace) {
        return namespaces.computeIfAbsent(namespace, name -> {
            Backend memory = InMemoryBackend.create(clock::worldNanos, 1);
            StoreCapabilities capabilities = DecoratedBackend.with(
                    memory.capabilities(), StoreCapabilities.Queue.SERVER, StoreCapabilities.Push.NONE);
            return new DecoratedBackend(
                    memory,
                    "memory without push",
                    capabilities,
                    (inner, context) ->
                            inner.openLocks(new Deaf(context.ordinary(), context.urgent(), context.surroundings())));
        });
    }

    @Override
    protected TckTime time() {
        return TckTime.of(clock);
    }

    /** Every hand-over between two Interlocks takes a heartbeat here. */
    @Override
    protected int rounds() {
        return 5;
    }

    private record Deaf(Executor ordinary, Executor urgent, Surroundings surroundings)
            implements StoreContext, StoreListener {
        @Override
        public StoreListener listener() {
            return this;
        }

        @Override
        public void granted(Granted granted) {}

        @Override
        public void maybeFree(LockKey key) {}

        @Override
        public void sessionLost(LossReason reason) {}

        @Override
        public void reconnected() {}
    }
}
