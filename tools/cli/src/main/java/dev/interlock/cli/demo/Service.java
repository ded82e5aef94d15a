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
 * One of the services that meet at the locks: an Interlock of its own and threads to work with.
 *
 * <p>To the store two services in one process are what two processes are: it knows them by nothing but their owner ids.
 */
final class Service implements AutoCloseable {
    /** Longer than any act takes, so that a tour that hangs ends with an error. */
    private static final long LONGEST_SECONDS = 60;

    private final String name;
    private final Interlock interlock;
    private final ExecutorService threads;

    Service(String name, Backend backend) {
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

    /** Something a service does on a thread of its own. */
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

    /** Waits for work; what went wrong in it goes wrong here. */
    static <T> T await(CompletableFuture<T> work) throws InterruptedException {
        try {
            return work.get(LONGEST_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            throw new IllegalStateException("The tour could not go on", e.getCause());
        } catch (TimeoutException e) {
            throw new IllegalStateException("The tour is stuck: nothing happened for " + LONGEST_SECONDS + " s", e);
        }
    }

    @Override
    public void close() {
        threads.shutdownNow();
        interlock.close();
    }
}
