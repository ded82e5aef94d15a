package dev.interlock.spi;

import org.jspecify.annotations.Nullable;

/**
 * The failure of a call to a store.
 *
 * <p>The {@linkplain #kind() kind} says whether the store may have carried out the request. The engine treats every
 * other exception as {@link Kind#UNKNOWN}. A store must never report a request as {@link Kind#NOT_SENT} if it may have
 * been carried out.
 *
 * @since 0.1.0
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

    /**
     * Returns the failure of a request that certainly did not reach the store, for example because the connection was
     * refused.
     */
    public static StoreException notSent(String message, @Nullable Throwable cause) {
        return new StoreException(Kind.NOT_SENT, false, message, cause);
    }

    /**
     * Returns the failure of a request that the store declined for now. Nothing was carried out, and a later attempt
     * may succeed. The kind is the same as that of {@link #notSent}, but the store has answered, so the failure does
     * not open the circuit breaker.
     */
    public static StoreException notNow(String message, @Nullable Throwable cause) {
        return new StoreException(Kind.NOT_SENT, true, message, cause);
    }

    /** Returns the failure of a request whose answer was lost. The store may have carried it out. */
    public static StoreException unknown(String message, @Nullable Throwable cause) {
        return new StoreException(Kind.UNKNOWN, false, message, cause);
    }

    /** Returns the failure of a request that the store refused. Repeating it does not help. */
    public static StoreException refused(String message) {
        return new StoreException(Kind.REFUSED, true, message, null);
    }

    /** Returns what is known about the request. */
    public Kind kind() {
        return kind;
    }

    /** Returns whether the failure is an answer of the store, which shows that the store can be reached. */
    public boolean isAnswered() {
        return answered;
    }

    /** What is known about a failed request. */
    public enum Kind {
        /** The store did not carry it out. */
        NOT_SENT,
        /** The store may have carried it out. */
        UNKNOWN,
        /** The store refused it. */
        REFUSED
    }
}
