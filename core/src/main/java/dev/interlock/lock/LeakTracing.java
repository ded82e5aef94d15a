package dev.interlock.lock;

/** How often the place of an acquisition is remembered, so that a leaked lease can name it. */
public enum LeakTracing {
    /** One in 128 acquisitions, and every one of a lock type that has leaked once. */
    SAMPLED,

    /** Every acquisition; for tests. */
    ALWAYS,

    /** Never; leaks are still reported, without the place. */
    OFF
}
