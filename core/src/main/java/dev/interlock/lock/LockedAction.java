package dev.interlock.lock;

/**
 * Work that runs while a lock is held. It may throw a checked exception, which reaches the caller unchanged.
 *
 * @param <H> {@link Lease} or {@link LeaseSet}
 * @param <E> the exception that the work may throw
 * @since 0.1.0
 */
@FunctionalInterface
public interface LockedAction<H extends Holding, E extends Exception> {
    /**
     * Does the work.
     *
     * @param held the lease; closed by Interlock afterwards
     */
    void run(H held) throws E;
}
