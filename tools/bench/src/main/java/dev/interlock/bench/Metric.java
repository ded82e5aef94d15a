package dev.interlock.bench;

import java.util.stream.DoubleStream;

/**
 * A quantity that each turn measures.
 *
 * <p>The id is part of the lines for scripts, so its meaning never changes.
 */
public enum Metric {
    /** Completed operations per second of all threads. */
    OPS("ops", "ops/s", true),
    /**
     * Wall-clock time per operation of one thread: the median over short batches. Unlike {@link #OPS} it excludes the
     * times when the thread had no processor or the garbage collector ran.
     */
    NS_PER_OP("ns_per_op", "ns/op", false),
    /** The median time from the request for a lock until it is held. */
    P50("p50_ms", "p50 ms", true),
    /** The 99th percentile of the time from the request for a lock until it is held. */
    P99("p99_ms", "p99 ms", true),
    /**
     * The 99.9th percentile of the time from the request for a lock until it is held. A turn has too few such values
     * for a repeatable ratio.
     */
    P999("p999_ms", "p99.9 ms", false),
    /** Operations of the thread with the most, divided by those of the thread with the fewest. */
    SHARE("share", "max/min share", true),
    /** Heap bytes allocated per operation, by all threads. */
    ALLOCATED("bytes_per_op", "bytes/op", false),
    /** Missing increments of the guarded counters. Summed, not averaged: one is too many. */
    LOST_UPDATES("lost_updates", "lost updates", false),
    /** Requests to the server per operation. Commands inside a script do not count. */
    CALLS("calls_per_op", "calls/op", true),
    /** Processor time of the server per operation. */
    SERVER_CPU("server_us_per_op", "server us/op", true),
    /** Processor time of the server per second. */
    SERVER_LOAD("server_us_per_s", "server us/s", true),
    /** Requests to the server per second. */
    CALLS_PER_SECOND("calls_per_s", "calls/s", true),
    /** All commands that the server executes per second, including those inside scripts. */
    COMMANDS_PER_SECOND("commands_per_s", "commands/s", true),
    /** Heap bytes retained per held lock. */
    HEAP("heap_bytes", "heap bytes/lock", true),
    /** Threads started by the contender. */
    THREADS("threads", "threads", false),
    /** Time per lock to acquire many locks. */
    ACQUIRE("acquire_us", "acquire us/lock", true),
    /** Time per lock to release many locks. */
    RELEASE("release_us", "release us/lock", true),
    /**
     * CPU steal as a fraction of the processor time. Not a property of a contender: turns with much of it are left out.
     */
    CPU_STEAL("stolen", "stolen", false);

    private final String id;
    private final String heading;
    private final boolean compared;

    Metric(String id, String heading, boolean compared) {
        this.id = id;
        this.heading = heading;
        this.compared = compared;
    }

    /** The name in lines for scripts. */
    public String id() {
        return id;
    }

    /** The column heading in tables. */
    public String heading() {
        return heading;
    }

    /** Whether the first value is better than the second. */
    boolean isBetter(double one, double other) {
        return this == OPS ? one > other : one < other;
    }

    /** Whether ratios of this metric are meaningful. */
    public boolean isCompared() {
        return compared;
    }

    /** Whether it is computed from the measurements of threads. */
    boolean isMeasuredByThreads() {
        return this == P50 || this == P99 || this == P999 || this == SHARE;
    }

    /**
     * Whether one round has too few values for it: too few slow operations, or too few operations per thread for a fair
     * comparison.
     */
    boolean needsManyRounds() {
        return isMeasuredByThreads() && this != P50;
    }

    /**
     * Whether it describes the work of threads, or of the server for them. Such metrics use undisturbed rounds only,
     * and each contender is summarized on its own. Other metrics are compared round by round.
     */
    boolean isOfThreads() {
        return isMeasuredByThreads() || this == OPS || this == CALLS || this == SERVER_CPU;
    }

    /** Summarizes the rounds that measured it; NaN if none did. */
    double summary(double... rounds) {
        double[] measured =
                DoubleStream.of(rounds).filter(round -> !Double.isNaN(round)).toArray();
        if (measured.length == 0) {
            return Double.NaN;
        }
        return switch (this) {
            case LOST_UPDATES -> DoubleStream.of(measured).sum();
            // All turns have the same length.
            case OPS, CALLS, SERVER_CPU -> mean(measured);
            // Times vary by factors between rounds. One that is a hundred times as long must not weigh a hundred times
            // as much.
            case P50 -> Math.exp(mean(DoubleStream.of(measured).map(Math::log).toArray()));
            default -> Quartiles.of(measured).median();
        };
    }

    private static double mean(double... numbers) {
        return DoubleStream.of(numbers).sum() / numbers.length;
    }
}
