package dev.interlock.lock;

import org.jspecify.annotations.Nullable;

/**
 * Work with a result that runs while a lock is held. It may throw a checked exception, which reaches the caller
 * unchanged.
 *
 * @param <H> {@link Lease} or {@link LeaseSet}
 * @param <T> the result
 * @param <E> the exception that the work may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockedFunction<H extends Holding, T extends @Nullable Object, E extends Exception> {
    /**
     * Does the work.
     *
     * @param held the lease; closed by Interlock afterwards
     */
    T call(H held) throws E;
}
