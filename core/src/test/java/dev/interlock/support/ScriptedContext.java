package dev.interlock.support;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import java.util.concurrent.Executor;

/** The context of the wrapped store: the engine's own, with a listener whose pushes can be held back. */
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
    public StoreListener listener() {
        return this;
    }

    @Override
    public Environment environment() {
        return context.environment();
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
