package dev.interlock.testkit.checked;

/**
 * A feature that not every store has. {@link FaultTck} skips the cases that need it, or checks a weaker bound.
 *
 * @since 0.1.0
 */
public enum FaultTrait {
    /** An acquire of a connected client is one request and one reply. */
    ONE_ROUND_TRIP_ACQUIRE("an acquire of one round trip"),

    /**
     * The client knows that the store is unreachable: callers fail at once while it is, and holders lose their leases
     * with {@code STORE_UNREACHABLE}.
     */
    FAILS_FAST("a client that fails callers at once while the store is unreachable"),

    /** One recorded request can be sent again on another connection. */
    REPLAYABLE_REQUESTS("requests that can be sent again on another connection"),

    /** A renewal whose connection breaks fails. Without this trait the client may repeat it on another connection. */
    RENEWS_ONCE("renewals that are not repeated"),

    /** The store draws one number per grant, without gaps. */
    CONSECUTIVE_NUMBERS("numbers without gaps"),

    /** Grants and numbers survive a killed server. */
    DURABLE("locks that survive a killed server");

    private final String description;

    FaultTrait(String description) {
        this.description = description;
    }

    /** The trait as a noun phrase. */
    String description() {
        return description;
    }
}
