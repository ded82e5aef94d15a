package dev.interlock.testkit;

/**
 * The way in which a store is unreachable. The kinds differ in what a client knows about its requests.
 *
 * @since 0.1.0
 */
public enum Outage {
    /** Connections are refused. Each request fails at once and was certainly not executed. */
    REFUSED,

    /**
     * Requests disappear. They are not executed and never answered, so the client learns of the outage only from its
     * own timeouts.
     */
    SILENT,

    /**
     * Requests are executed, but the connection breaks before the answer arrives. The client does not know whether they
     * were executed.
     */
    ANSWERS_LOST
}
