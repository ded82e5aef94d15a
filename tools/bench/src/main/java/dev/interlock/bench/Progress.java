package dev.interlock.bench;

/** Hears how far a suite is, for those who wait. */
@FunctionalInterface
public interface Progress {
    /** Hears nothing. */
    Progress SILENT = (workload, round, rounds) -> {};

    /**
     * A workload has come to a round.
     *
     * @param workload its name
     * @param round from 1; 0 is the warm-up
     * @param rounds how many there are; 0 if that depends on how long they take
     */
    void at(String workload, int round, int rounds);
}
