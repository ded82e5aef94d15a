package dev.interlock.testkit.faults;

/** What a fault does, and what its counter counts. */
public enum FaultKind {
    /** Delay and jitter; counts messages. */
    DELAY,
    /** Drip and bandwidth; counts how often bytes had to wait for their turn. */
    PACE,
    /** Bytes that vanish; counts messages. */
    DROP,
    /** Bytes that wait until the fault is healed; counts messages. */
    HOLD,
    /** Requests that are sent a second time; counts requests. */
    REPLAY,
    /** Connections closed on both sides; counts connections. */
    CUT,
    /** Connections ended by RST on both sides; counts connections. */
    RESET,
    /** Connections ended in one direction; counts connections. */
    HALF_CLOSE,
    /** New connections that were turned away; counts connections, or closed ports for {@link FaultProxy#refuse()}. */
    REFUSE
}
