package dev.interlock.testkit;

import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.util.function.BiFunction;

/** A backend that behaves like another one, except for its stores and their capabilities. */
record DecoratedBackend(
        Backend inner, String name, StoreCapabilities capabilities, BiFunction<Backend, StoreContext, LockStore> open)
        implements Backend {
    static StoreCapabilities with(StoreCapabilities base, StoreCapabilities.Queue queue, StoreCapabilities.Push push) {
        return base.toBuilder().queue(queue).push(push).build();
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return open.apply(inner, context);
    }

    @Override
    public void close() {
        inner.close();
    }
}
