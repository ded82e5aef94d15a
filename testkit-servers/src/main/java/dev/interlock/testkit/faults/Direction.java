package dev.interlock.testkit.faults;

/**
 * The direction of bytes through a proxy.
 *
 * @since 0.1.0
 */
public enum Direction {
    /** From the client to the server: requests. */
    TO_SERVER,
    /** From the server to the client: replies and pushes. */
    TO_CLIENT
}
