package dev.interlock.support;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.Surroundings;
import java.time.Duration;
import java.util.concurrent.Executor;

/** What the wrapped store is opened with: the engine's own surroundings, and a listener whose pushes can be kept. */
final class ScriptedContext implements StoreContext, StoreListener {
    private final ScriptedBackend backend;
    private final StoreContext context;

    ScriptedContext(ScriptedBackend backend, StoreContext context) {
        this.backend = backend;
        this.context = context;
    }

    @Override
    public Executor ordinary() {
        return context.ordinary();
    }

    @Override
    public Executor urgent() {
        return context.urgent();
    }

    @Override
    public Duration takeThread() {
        return context.takeThread();
    }

    @Override
    public StoreListener listener() {
        return this;
    }

    @Override
    public Surroundings surroundings() {
        return context.surroundings();
    }

    @Override
    public void granted(Granted granted) {
        backend.push(granted);
    }

    @Override
    public void maybeFree(LockKey key) {
        context.listener().maybeFree(key);
    }

    @Override
    public void sessionLost(LossReason reason) {
        context.listener().sessionLost(reason);
    }

    @Override
    public void reconnected() {
        context.listener().reconnected();
    }
}
