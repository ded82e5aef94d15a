package dev.interlock.bench;

/** Asks a server what it has done, so that a contender's share can be read off as a difference. */
@FunctionalInterface
public interface ServerMeter {
    /** What the server has done since it began. */
    Reading read();

    /**
     * What a server has done.
     *
     * @param calls requests by clients; what a script does inside the server is not one
     * @param commands everything that the server carried out, also inside scripts
     * @param cpuSeconds processor time; not a number if it does not say
     */
    record Reading(double calls, double commands, double cpuSeconds) {
        /** The difference to an earlier reading. */
        public Reading since(Reading earlier) {
            return new Reading(calls - earlier.calls, commands - earlier.commands, cpuSeconds - earlier.cpuSeconds);
        }
    }
}
