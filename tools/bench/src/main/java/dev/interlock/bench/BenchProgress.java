package dev.interlock.bench;

/** Receives the progress of a suite. */
@FunctionalInterface
public interface BenchProgress {
    /** Ignores the progress. */
    BenchProgress SILENT = (workload, round, rounds) -> {};

    /**
     * A round of a workload starts.
     *
     * @param workload its name
     * @param round from 1; 0 is the warm-up
     * @param rounds the number of rounds; 0 if it depends on the time they take
     */
    void at(String workload, int round, int rounds);
}
