package dev.interlock.spi;

import java.util.concurrent.Executor;

/**
 * What the engine offers a store.
 *
 * <p>A blocking driver runs each call in an executor from here, for example
 * {@code CompletableFuture.supplyAsync(() -> …, context.urgent())}. The two are separate pools with a fixed number of
 * threads, so a pile of slow attempts never delays a renewal or a release.
 */
public interface StoreContext {
    /** For {@code attempt}, {@code keepWaiting}, {@code snapshot}, {@code forceRelease}, {@code terms}. */
    Executor ordinary();

    /** For {@code renew}, {@code release}, {@code withdraw}: never queued behind the others. */
    Executor urgent();

    /** Whom to tell about grants, hints and lost sessions. Its methods return at once and may be called from any thread. */
    StoreListener listener();

    /** Time as the engine sees it, for stores that keep time themselves. */
    Surroundings surroundings();
}
