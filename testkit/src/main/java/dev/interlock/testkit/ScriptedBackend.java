package dev.interlock.testkit;

import dev.interlock.lock.LossReason;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.util.Map;

/**
 * A backend behind a {@link ScriptedConnection}.
 *
 * @param store the backend itself; closing this record leaves it open
 * @param taken the loss reasons of grants that a script took away, by grant number
 */
record ScriptedBackend(Backend store, ScriptedConnection connection, Map<Long, LossReason> taken) implements Backend {
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
        return new ScriptedLockStore(store.openLocks(connection.through(context)), connection, taken);
    }

    @Override
    public void close() {}
}
