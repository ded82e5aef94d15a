package dev.interlock.testkit;

import dev.interlock.lock.LossReason;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.util.Map;

/**
 * A backend at the end of a {@link Line}.
 *
 * @param store the backend itself; closing this one leaves it open
 * @param taken why grants are gone that a script took away, by their numbers
 */
record LineBackend(Backend store, Line line, Map<Long, LossReason> taken) implements Backend {
    @Override
    public String name() {
        return store.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return store.capabilities();
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return new LineStore(store.openLocks(line.through(context)), line, taken);
    }

    @Override
    public void close() {}
}
