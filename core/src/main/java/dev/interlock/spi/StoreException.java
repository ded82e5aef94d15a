package dev.interlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * How a store call fails. Any other exception counts as {@link Kind#UNKNOWN}: never report a request that may have
 * been carried out as one that was not.
 */
public final class StoreException extends RuntimeException {
    private static final long serialVersionUID = 1L;

    private final Kind kind;
    private final boolean answered;

    private StoreException(Kind kind, boolean answered, String message, @Nullable Throwable cause) {
        super(message, cause);
        this.kind = kind;
        this.answered = answered;
    }

    /** The request certainly never reached the store, for example because the connection was refused. */
    public static StoreException notSent(String message, @Nullable Throwable cause) {
        return new StoreException(Kind.NOT_SENT, false, message, cause);
    }

    /**
     * The store answered that it will not do this now, and has done nothing; asking again later may help. Counts like
     * {@link #notSent}, but the store is alive, so nobody is kept from asking it.
     */
    public static StoreException notNow(String message, @Nullable Throwable cause) {
        return new StoreException(Kind.NOT_SENT, true, message, cause);
    }

    /** The answer was lost; the request may have been carried out. */
    public static StoreException unknown(String message, @Nullable Throwable cause) {
        return new StoreException(Kind.UNKNOWN, false, message, cause);
    }

    /** The store answered that it will not do this; asking again does not help. */
    public static StoreException refused(String message) {
        return new StoreException(Kind.REFUSED, true, message, null);
    }

    /** Which of the three it is. */
    public Kind kind() {
        return kind;
    }

    /** Whether the store itself said so: it can be reached, whatever became of the request. */
    public boolean isAnswered() {
        return answered;
    }

    /** What is known about a request that failed. */
    public enum Kind {
        /** It was not carried out. */
        NOT_SENT,
        /** It may have been carried out. */
        UNKNOWN,
        /** It was answered with a refusal. */
        REFUSED
    }
}
