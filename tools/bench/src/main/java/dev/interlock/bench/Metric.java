package dev.interlock.bench;

import java.util.stream.DoubleStream;

/**
 * Something that is measured in each turn.
 *
 * <p>Its id is part of the lines that scripts read and never changes its meaning.
 */
public enum Metric {
    /** Completed operations per second, all threads together. */
    OPS("ops", "ops/s", true),
    /**
     * Wall-clock time per operation of one thread: the median of short batches. Unlike {@link #OPS} it leaves out the moments
     * when the thread had no processor or the garbage was collected.
     */
    NS_PER_OP("ns_per_op", "ns/op", false),
    /** Median time from asking for the lock to holding it. */
    P50("p50_ms", "p50 ms", true),
    /** The time from asking to holding that one in a hundred exceeds. */
    P99("p99_ms", "p99 ms", true),
    /** The time from asking to holding that one in a thousand exceeds: too few of them in a turn for a ratio that would come out twice. */
    P999("p999_ms", "p99.9 ms", false),
    /** Operations of the luckiest thread divided by those of the unluckiest. */
    SHARE("share", "max/min share", true),
    /** Heap allocated per operation, by all threads. */
    ALLOCATED("bytes_per_op", "bytes/op", false),
    /** Increments of guarded plain counters that are missing. Summed up, not averaged: one is too many. */
    LOST_UPDATES("lost_updates", "lost updates", false),
    /** Requests to the server per operation; what a script does inside the server is not one. */
    CALLS("calls_per_op", "calls/op", true),
    /** Processor time of the server per operation. */
    SERVER_CPU("server_us_per_op", "server us/op", true),
    /** Processor time of the server per second. */
    SERVER_LOAD("server_us_per_s", "server us/s", true),
    /** Requests to the server per second. */
    CALLS_PER_SECOND("calls_per_s", "calls/s", true),
    /** Everything that the server carries out per second, also inside scripts. */
    COMMANDS_PER_SECOND("commands_per_s", "commands/s", true),
    /** Heap that stays occupied per held lock. */
    HEAP("heap_bytes", "heap bytes/lock", true),
    /** Threads that were started. */
    THREADS("threads", "threads", false),
    /** Time per lock to acquire all of many. */
    ACQUIRE("acquire_us", "acquire us/lock", true),
    /** Time per lock to release all of many. */
    RELEASE("release_us", "release us/lock", true),
    /** Which part of the processors' time the host of a virtual machine took away. Nobody's merit: turns with much of it are left out. */
    STOLEN("stolen", "stolen", false);

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

    /** The name in the table. */
    public String heading() {
        return heading;
    }

    /** Whether one figure is better than another. */
    boolean isBetter(double one, double other) {
        return this == OPS ? one > other : one < other;
    }

    /** Whether ours divided by theirs says something. */
    public boolean isCompared() {
        return compared;
    }

    /** Whether it is a figure of what threads noted. */
    boolean isNoted() {
        return this == P50 || this == P99 || this == P999 || this == SHARE;
    }

    /** Whether a single round has too few cases to tell: of the slowest ones, or by chance somebody always had fewer turns than the others. */
    boolean isRare() {
        return isNoted() && this != P50;
    }

    /**
     * Whether it tells what threads did, or what the server did for them: then undisturbed rounds count, and each side is summed up for itself. The others are
     * compared round by round.
     */
    boolean isOfThreads() {
        return isNoted() || this == OPS || this == CALLS || this == SERVER_CPU;
    }

    /** One figure for all rounds that measured it; not a number if none did. */
    double summary(double... rounds) {
        double[] measured =
                DoubleStream.of(rounds).filter(round -> !Double.isNaN(round)).toArray();
        if (measured.length == 0) {
            return Double.NaN;
        }
        return switch (this) {
            case LOST_UPDATES -> DoubleStream.of(measured).sum();
            // Turns are equally long.
            case OPS, CALLS, SERVER_CPU -> mean(measured);
            // Between rounds times differ by factors, and one that is a hundred times as long is not a hundred times as
            // important.
            case P50 -> Math.exp(mean(DoubleStream.of(measured).map(Math::log).toArray()));
            default -> Quartiles.of(measured).median();
        };
    }

    private static double mean(double... numbers) {
        return DoubleStream.of(numbers).sum() / numbers.length;
    }
}
