package dev.interlock.bench;

/** One thread's part in a workload, turn after turn. Used by one thread at a time. */
interface Worker {
    /** The parts of a turn. */
    enum Phase {
        GETTING_UNDER_WAY,
        COUNTING,
        OVER
    }

    /** How a worker and its turn talk to each other. */
    interface Signals {
        /** What to do now. */
        Phase phase();

        /** This worker has done its first operation. */
        void underWay();
    }

    /** Whether a turn counts only from its first operation on. */
    default boolean isAwaited() {
        return true;
    }

    /** Works until the turn is over; what has begun is completed. */
    void work(Signals signals);

    /** What it counted in its last turn. */
    Tally tally();
}
