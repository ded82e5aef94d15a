package dev.interlock.spi;

import java.util.concurrent.Executor;

/**
 * What the engine provides to a store: executors, a listener and a clock.
 *
 * <p>A store with a blocking driver runs each call in one of the two executors, for example
 * {@code CompletableFuture.supplyAsync(() -> …, context.urgent())}. They are separate pools with a fixed number of
 * threads, so slow attempts never delay a renewal or a release.
 *
 * @since 0.1.0
 */
public interface StoreContext {
    /**
     * Returns the executor for {@code agree}, {@code attempt}, {@code keepWaiting}, {@code snapshot},
     * {@code forceRelease} and {@code exchange}.
     */
    Executor ordinary();

    /**
     * Returns the executor for {@code renew}, {@code release} and {@code withdraw}. These calls never queue behind the
     * others.
     */
    Executor urgent();

    /**
     * Returns the listener for grants, hints and lost sessions. Its methods return at once, and any thread may call
     * them.
     */
    StoreListener listener();

    /** Returns the engine's clock, for stores that keep time themselves. */
    Environment environment();
}
