package dev.interlock.spi;

import java.time.Duration;
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

    /**
     * Takes the calling thread, if whoever called waits on it for the answer anyway: a store that blocks may then make its call right here,
     * which saves two wake-ups, and must answer within the time that this says. Zero if the thread is not to be had; every call gives it
     * at most once. While the store has it the caller's interrupt is not heard, so the store should look for it.
     */
    default Duration takeThread() {
        return Duration.ZERO;
    }

    /** Whom to tell about grants, hints and lost sessions. Its methods return at once and may be called from any thread. */
    StoreListener listener();

    /** Time as the engine sees it, for stores that keep time themselves. */
    Surroundings surroundings();
}
