package dev.interlock.testkit;

import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreContext;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import org.junit.jupiter.api.Tag;

/** The reference backend behind a blocking driver: calls run in the engine's lanes, and each takes a moment. */
@Tag("full")
class RemoteBackendTckTest extends BackendTck {
    private final Map<String, Backend> namespaces = new ConcurrentHashMap<>();

    @Override
    protected Backend connect(String namespace) {
        return namespaces.computeIfAbsent(namespace, name -> {
            Backend memory = InMemoryBackend.create();
            return new DecoratedBackend(
                    memory,
                    "remote memory",
                    memory.capabilities(),
                    (inner, context) -> new Remote(inner.openLocks(context), context));
        });
    }

    @Override
    protected int rounds() {
        return 20;
    }

    @Override
    protected int manyWaiters() {
        return 1_000;
    }

    @Override
    protected int manyKeys() {
        return 5_000;
    }

    private static final class Remote extends DecoratedStore {
        private final StoreContext context;
        private final Random random = new Random(1);

        Remote(LockStore inner, StoreContext context) {
            super(inner);
            this.context = context;
        }

        @Override
        <T> CompletionStage<T> ordinary(Supplier<CompletionStage<T>> call) {
            return blocking(call, context.ordinary());
        }

        @Override
        <T> CompletionStage<T> urgent(Supplier<CompletionStage<T>> call) {
            return blocking(call, context.urgent());
        }

        private <T> CompletionStage<T> blocking(Supplier<CompletionStage<T>> call, Executor lane) {
            return CompletableFuture.supplyAsync(
                    () -> {
                        delay();
                        T answer = call.get().toCompletableFuture().join();
                        delay();
                        return answer;
                    },
                    lane);
        }

        private void delay() {
            LockSupport.parkNanos(TimeUnit.MICROSECONDS.toNanos(random.nextInt(200)));
        }
    }
}
