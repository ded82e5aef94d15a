package dev.interlock.bench;

import org.jspecify.annotations.Nullable;

/** A contender could not do its task. */
public final class BenchException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    /** With a sentence that names the contender, and what went wrong in it. */
    public BenchException(String message, @Nullable Throwable cause) {
        super(message, cause);
    }
}
