package dev.interlock.internal.lock;

import java.util.Collection;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * An executor service that runs each task in the scope of the thread that submits it. Futures are those of the
 * wrapped service.
 */
final class ScopedExecutor implements ExecutorService {
    private final ExecutorService service;
    private final EngineLocks locks;

    ScopedExecutor(ExecutorService service, EngineLocks locks) {
        this.service = service;
        this.locks = locks;
    }

    private Runnable carried(Runnable task) {
        EngineScope scope = locks.currentScope();
        return () -> scope.run(task::run);
    }

    private <T extends @Nullable Object> Callable<T> carried(Callable<T> task) {
        EngineScope scope = locks.currentScope();
        return () -> scope.call(task::call);
    }

    private <T extends @Nullable Object> List<Callable<T>> carried(Collection<? extends Callable<T>> tasks) {
        return tasks.stream().map(task -> carried((Callable<T>) task)).toList();
    }

    @Override
    public void execute(Runnable task) {
        service.execute(carried(task));
    }

    @Override
    public Future<?> submit(Runnable task) {
        return service.submit(carried(task));
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Runnable task, T result) {
        return service.submit(carried(task), result);
    }

    @Override
    public <T extends @Nullable Object> Future<T> submit(Callable<T> task) {
        return service.submit(carried(task));
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(Collection<? extends Callable<T>> tasks)
            throws InterruptedException {
        return service.invokeAll(carried(tasks));
    }

    @Override
    public <T extends @Nullable Object> List<Future<T>> invokeAll(
            Collection<? extends Callable<T>> tasks, long limit, TimeUnit unit) throws InterruptedException {
        return service.invokeAll(carried(tasks), limit, unit);
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> tasks)
            throws InterruptedException, ExecutionException {
        return service.invokeAny(carried(tasks));
    }

    @Override
    public <T extends @Nullable Object> T invokeAny(Collection<? extends Callable<T>> tasks, long limit, TimeUnit unit)
            throws InterruptedException, ExecutionException, TimeoutException {
        return service.invokeAny(carried(tasks), limit, unit);
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
    public boolean awaitTermination(long limit, TimeUnit unit) throws InterruptedException {
        return service.awaitTermination(limit, unit);
    }
}
