package dev.interlock.cli.demo;

import dev.interlock.Interlock;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.Locks;
import dev.interlock.spi.Backend;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * One of the two services of the demo. It has its own {@code Interlock} and threads.
 *
 * <p>To the store, two services in one process look like two processes: it identifies them only by their owner ids.
 */
final class DemoService implements AutoCloseable {
    /** Longer than any act takes. A demo that hangs ends with an error. */
    private static final long MAX_SECONDS = 60;

    private final String name;
    private final Interlock interlock;
    private final ExecutorService threads;

    DemoService(String name, Backend backend) {
        this.name = name;
        this.interlock = Interlock.builder(backend).name(name).keepBackendOpen().build();
        this.threads = Executors.newCachedThreadPool(task -> {
            Thread thread = new Thread(task, name);
            thread.setDaemon(true);
            return thread;
        });
    }

    String name() {
        return name;
    }

    Locks locks() {
        return interlock.locks();
    }

    LockOperator operator() {
        return interlock.operator();
    }

    /** Work that a service does on one of its threads. */
    @FunctionalInterface
    interface Work {
        void run() throws Exception;
    }

    /** Starts work on a thread of this service. */
    CompletableFuture<Void> start(Work work) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        threads.execute(() -> {
            try {
                work.run();
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    /** Waits for the work to end and throws its failure. */
    static <T> T await(CompletableFuture<T> work) throws InterruptedException {
        try {
            return work.get(MAX_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("An act of the demo failed", e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("The demo is stuck: no progress for " + MAX_SECONDS + " s", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        interlock.close();
    }
}
