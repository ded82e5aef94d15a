package dev.interlock.lock;

import org.jspecify.annotations.Nullable;

/** Work with a result, to be done while a lock is held; may throw a checked exception, which passes through. */
@FunctionalInterface
public interface LockedFunction<H extends Holding, T extends @Nullable Object, E extends Exception> {
    /** Does the work. */
    T call(H held) throws E;
}
