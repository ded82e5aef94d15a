package dev.interlock.internal.lock;

import dev.interlock.spi.LockStore;
import java.time.Duration;
import java.util.concurrent.TimeUnit;

/** The constants of the engine's protocol: times, limits and batch sizes that an application cannot set. */
final class Protocol {
    /** Interval of a waiter's heartbeats. The store skips a dead waiter after about twice this time. */
    static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** How long a store keeps a waiter without a heartbeat, and the length of a provisional lease. */
    static final Duration HEARTBEAT_WITHIN = Duration.ofSeconds(1);

    /** A provisional lease with at least this much time left is delivered before the first renewal confirms it, */
    static final long SURE_NANOS = HEARTBEAT_WITHIN.toNanos() / 2;

    /** and the first renewal follows after this pause. */
    static final long EXTEND_SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * The time that the store has for its first answer, even if the patience is shorter. Patience is for holders: a
     * request that gave up before any answer could arrive would have to report the store as unavailable.
     */
    static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** A hold is passed on inside the process at most this many times in a row … */
    static final int MAX_PASSES_IN_A_ROW = 64;

    /** … and for at most this long. Then the store decides, so that other processes do not starve. */
    static final long MAX_PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How many running threads may barge past one local waiter. */
    static final int MAX_BARGES = 16;

    /**
     * How many times a request for several keys leaves the gates that it entered, before it keeps them while it
     * waits.
     */
    static final int MAX_GATE_RETRIES = 16;

    /** Waiters per key inside one process. */
    static final int MAX_WAITERS_PER_KEY = 65_536;

    /** Keys per request. */
    static final int MAX_KEYS_PER_REQUEST = 1024;

    /** The first pause between polls of a store that cannot queue, … */
    static final long FIRST_POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** … and the longest. */
    static final long MAX_POLL_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** Interval of the wait reports of a process that has long waits, … */
    static final long REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** … and while it suspects a cycle that is not confirmed yet. */
    static final long SUSPICIOUS_REPORT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** Minimum interval between scans of the local waits. */
    static final long MIN_SCAN_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** If a scan takes long because there are many waits, the next one follows after this many times its duration. */
    static final int SCAN_PAUSE_FACTOR = 20;

    /**
     * Interval of the reports of a harmless wait: its scope holds nothing and no reader waits behind it, so it is on
     * no cycle and is reported for operators only.
     */
    static final long HARMLESS_REPORT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long the store keeps a wait report that is not written again. */
    static final Duration REPORTS_KEPT = Duration.ofSeconds(5);

    /** Wait reports per process. Waits that hold something come first. */
    static final int MAX_REPORTS = LockStore.MAX_BATCH;

    /** Reports of harmless waits per process: they are on no cycle, yet every searching process reads them. */
    static final int MAX_HARMLESS_REPORTS = 50;

    /** A process that searches for nothing still reads this often: stores remove expired reports when they are read. */
    static final long MAX_READ_PAUSE_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** Deducted from every lease: the clocks of holder and store may drift apart by one percent, … */
    static final double DRIFT = 0.01;

    /** … and a check takes a moment. */
    static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

    private Protocol() {}
}
