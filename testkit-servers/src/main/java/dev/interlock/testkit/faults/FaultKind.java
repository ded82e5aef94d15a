package dev.interlock.testkit.faults;

/**
 * What a fault does, and what its counter counts.
 *
 * @since 0.1.0
 */
public enum FaultKind {
    /** Delay and jitter; counts messages. */
    DELAY,
    /** Drip and bandwidth; counts how often bytes were delayed. */
    PACE,
    /** Dropped bytes; counts messages. */
    DROP,
    /** Bytes held until the fault is healed; counts messages. */
    HOLD,
    /** Requests sent a second time; counts requests. */
    REPLAY,
    /** Connections closed on both sides; counts connections. */
    CUT,
    /** Connections ended by RST on both sides; counts connections. */
    RESET,
    /** Connections ended in one direction; counts connections. */
    HALF_CLOSE,
    /** New connections refused; counts connections, or closed ports for {@link FaultProxy#refuse()}. */
    REFUSE
}
