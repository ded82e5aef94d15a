package dev.interlock.lock;

/** Work to be done while a lock is held; may throw a checked exception, which passes through. */
@FunctionalInterface
public interface LockedAction<H extends Holding, E extends Exception> {
    /** Does the work. */
    void run(H held) throws E;
}
