package dev.interlock.testkit;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.Tag;

/** The reference backend with every push lost: heartbeats alone must find every grant. */
@Tag("slow")
@Tag("full")
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
                    (inner, context) -> inner.openLocks(
                            new WithoutPush(context.ordinary(), context.urgent(), context.environment())));
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

    private record WithoutPush(Executor ordinary, Executor urgent, Environment environment)
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
