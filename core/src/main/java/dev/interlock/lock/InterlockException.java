package dev.interlock.lock;

import org.jspecify.annotations.Nullable;

/**
 * The superclass of all exceptions of Interlock.
 *
 * <p>Each outcome has its own subtype, so that a caller can treat a busy lock, an unavailable store and a lost lease
 * differently. Every message is a sentence that names the key.
 *
 * @since 0.1.0
 */
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
