package dev.interlock.bench;

/** Reads the counters of a server. The difference of two readings is the cost of a contender. */
@FunctionalInterface
public interface ServerMeter {
    /** Reads the counters. They start when the server starts. */
    Reading read();

    /**
     * One reading.
     *
     * @param calls requests of clients; commands inside a script do not count
     * @param commands all executed commands, including those inside scripts
     * @param cpuSeconds processor time; NaN if the server does not report it
     */
    record Reading(double calls, double commands, double cpuSeconds) {
        /** The difference to an earlier reading. */
        public Reading since(Reading earlier) {
            return new Reading(calls - earlier.calls, commands - earlier.commands, cpuSeconds - earlier.cpuSeconds);
        }
    }
}
