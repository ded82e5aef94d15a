package dev.interlock.lock;

import java.util.Optional;

/**
 * What an operator may do: look, and release by force.
 *
 * <p>Calls block until the store answers and throw {@link StoreUnavailableException} if it does not, and
 * {@link LockRefusedException} if the store cannot do it.
 */
public interface LockOperator {
    /**
     * The locks whose names start with the prefix, a page at a time.
     *
     * @param prefix the beginning of the names, empty for all
     * @param after where to go on, from {@link LockPage#next()}
     * @param limit how many at the most, 1 to 1000
     */
    LockPage list(String prefix, Optional<String> after, int limit);

    /** One lock, empty if nobody holds it or waits for it. */
    Optional<LockSnapshot> inspect(LockKey key);

    /**
     * Takes the lock from whoever holds it. Later grants have larger tokens, so a fenced resource refuses the former
     * holder at once; the former holder is told at its next renewal, or by its deadline.
     *
     * @return how many holders lost it
     */
    int forceRelease(LockKey key);
}
