package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/** A task that several contenders perform in turn. */
public interface BenchWorkload {
    /** The name in reports and in lines for scripts, for example {@code hot_1p32t}. */
    String name();

    /** A short description. */
    String title();

    /** The contenders, Interlock first. Ratios in the table refer to the first contender that is not Interlock. */
    List<Contender> contenders();

    /** The metrics, in the order in which reports show them. */
    List<Metric> metrics();

    /** Adapts the schedule of the suite to this workload. Returns it unchanged by default. */
    default Schedule within(Schedule schedule) {
        return schedule;
    }

    /**
     * This workload's share of the time of a suite with a time limit, relative to the other workloads. Seconds, if the
     * limit is ninety seconds.
     */
    default int share() {
        return 1;
    }

    /** Whether additional rounds make the result more precise. If not, the workload runs only the scheduled rounds. */
    default boolean benefitsFromMoreRounds() {
        return true;
    }

    /** Opens a contender for its turns. */
    ContenderRun prepare(Contender contender);

    /** One contender in one workload. */
    interface ContenderRun extends AutoCloseable {
        /**
         * Runs for about this long and measures.
         *
         * @throws BenchException if the contender failed or did not stop
         */
        Sample turn(Duration length) throws InterruptedException;

        @Override
        void close();
    }
}
