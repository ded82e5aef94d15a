package dev.interlock.bench;

import org.jspecify.annotations.Nullable;

/** A contender failed. */
public final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** The message names the contender and says what went wrong. */
    public BenchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
