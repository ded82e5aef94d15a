package dev.interlock.internal.lock;

import java.util.List;
import java.util.concurrent.AbstractExecutorService;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.TimeUnit;

/** An executor service whose tasks go through an executor that knows more than it does. */
final class ScopedExecutor extends AbstractExecutorService {
    private final ExecutorService service;
    private final Executor through;

    ScopedExecutor(ExecutorService service, Executor through) {
        this.service = service;
        this.through = through;
    }

    @Override
    public void execute(Runnable task) {
        through.execute(task);
    }

    @Override
    public void shutdown() {
        service.shutdown();
    }

    @Override
    public List<Runnable> shutdownNow() {
        return service.shutdownNow();
    }

    @Override
    public boolean isShutdown() {
        return service.isShutdown();
    }

    @Override
    public boolean isTerminated() {
        return service.isTerminated();
    }

    @Override
    public boolean awaitTermination(long timeout, TimeUnit unit) throws InterruptedException {
        return service.awaitTermination(timeout, unit);
    }
}
