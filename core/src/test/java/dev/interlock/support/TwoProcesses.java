package dev.interlock.support;

import dev.interlock.Interlock;
import dev.interlock.lock.Locks;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.StoreCapabilities;
import java.time.Duration;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ExecutionException;
import java.util.function.UnaryOperator;

/** Two Interlocks over one in-memory store, in virtual time. Only the store of "ours" is scripted. */
public final class TwoProcesses implements AutoCloseable {
    public final ManualEnvironment clock = new ManualEnvironment();
    public final InMemoryBackend memory = InMemoryBackend.create(clock::worldNanos, 1);
    public final ScriptedBackend wire;
    public final Interlock ours;
    public final Interlock theirs;

    /** With a store that queues and pushes. */
    public TwoProcesses() {
        this(same -> same, same -> same);
    }

    /** With other capabilities of our store, and options for ours. */
    public TwoProcesses(UnaryOperator<StoreCapabilities> capabilities, UnaryOperator<Interlock.Builder> options) {
        wire = new ScriptedBackend(memory, capabilities);
        ours = options.apply(Interlock.builder(wire).name("ours").environment(clock))
                .build();
        theirs = Interlock.builder(memory).name("theirs").environment(clock).build();
    }

    /** With options for ours. */
    public static TwoProcesses with(UnaryOperator<Interlock.Builder> options) {
        return new TwoProcesses(same -> same, options);
    }

    /** With a store of ours that must be polled. */
    public static TwoProcesses polling() {
        return new TwoProcesses(ScriptedBackend::polled, same -> same);
    }

    public Locks locks() {
        return ours.locks();
    }

    public Locks others() {
        return theirs.locks();
    }

    public void advance(long millis) {
        clock.advance(Duration.ofMillis(millis));
    }

    /** Whether a stage has a result. */
    public static boolean isGranted(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        return future.isDone() && !future.isCompletedExceptionally();
    }

    public static boolean isPending(CompletionStage<?> stage) {
        return !stage.toCompletableFuture().isDone();
    }

    /** The result of a completed stage. */
    public static <T> T result(CompletionStage<T> stage) {
        CompletableFuture<T> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            throw new AssertionError("still pending");
        }
        return future.join();
    }

    /** The exception of a failed stage. */
    public static Throwable failure(CompletionStage<?> stage) {
        CompletableFuture<?> future = stage.toCompletableFuture();
        if (!future.isDone()) {
            throw new AssertionError("still pending");
        }
        try {
            throw new AssertionError("not failed, but " + future.get());
        } catch (ExecutionException | CompletionException e) {
            return e.getCause();
        } catch (InterruptedException e) {
            throw new AssertionError(e);
        } catch (CancellationException e) {
            return e;
        }
    }

    @Override
    public void close() {
        ours.shutdown(Duration.ZERO);
        theirs.shutdown(Duration.ZERO);
    }
}
