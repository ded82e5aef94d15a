package dev.interlock.lock;

/**
 * How often Interlock records the stack trace of an acquisition, so that the report of a leaked lease can show where it
 * was acquired.
 *
 * @since 0.1.0
 */
public enum LeakTracing {
    /** One in 128 acquisitions, and every acquisition of a lock type that has leaked before. */
    SAMPLED,

    /** Every acquisition. For tests. */
    ALWAYS,

    /** Never. Leaks are still reported, but without a stack trace. */
    OFF
}
