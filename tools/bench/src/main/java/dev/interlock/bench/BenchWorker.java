package dev.interlock.bench;

/** The work of one thread in a workload. It runs once per turn, on one thread at a time. */
interface BenchWorker {
    /** The phases of a turn. */
    enum Phase {
        GETTING_UNDER_WAY,
        COUNTING,
        OVER
    }

    /** What a worker needs from its turn. */
    interface Signals {
        /** The current phase. */
        Phase phase();

        /** Reports that this worker has completed its first operation. */
        void underWay();
    }

    /** Whether the turn waits for this worker's first operation before it starts to count. */
    default boolean isAwaited() {
        return true;
    }

    /** Works until the turn is over. An operation that has started is completed. */
    void work(Signals signals);

    /** What the worker counted in its last turn. */
    ThreadTally tally();
}
