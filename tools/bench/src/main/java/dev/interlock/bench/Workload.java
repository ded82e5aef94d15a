package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/** A task that several contenders are given in turn. */
public interface Workload {
    /** The name in the report and in lines for scripts, for example {@code hot_1p32t}. */
    String name();

    /** What is done, in a few words. */
    String title();

    /** Who takes part; ours first, since the first one that is not ours is what ratios in the table refer to. */
    List<Contender> contenders();

    /** What is measured, in the order in which it is shown. */
    List<Metric> metrics();

    /** What suits this workload best of a schedule that was made for all; the whole by default. */
    default Schedule within(Schedule schedule) {
        return schedule;
    }

    /** Of a suite whose time is limited, how much of it this workload needs in comparison with the others; in seconds, if there are ninety. */
    default int share() {
        return 1;
    }

    /** Whether more rounds say more. If not, it has as many as its schedule says. */
    default boolean gainsByRounds() {
        return true;
    }

    /** Prepares a contender for its turns. */
    Bout prepare(Contender contender);

    /** One contender at one workload. */
    interface Bout extends AutoCloseable {
        /**
         * Runs for about the given time and measures.
         *
         * @throws BenchException if the contender failed or did not end
         */
        Sample turn(Duration length) throws InterruptedException;

        @Override
        void close();
    }
}
