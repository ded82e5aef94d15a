package dev.interlock.lock;

import org.jspecify.annotations.Nullable;

/** Everything that can go wrong with a lock; each kind has its own subtype, so that outcomes never blur. */
public abstract sealed class InterlockException extends RuntimeException
        permits LockTimeoutException,
                StoreUnavailableException,
                LockRefusedException,
                LockOrderException,
                AlreadyHeldException,
                DeadlockException,
                LockInterruptedException,
                LeaseLostException,
                StaleTokenException,
                InterlockClosedException {
    private static final long serialVersionUID = 1L;

    InterlockException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
