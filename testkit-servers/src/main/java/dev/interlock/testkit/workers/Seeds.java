package dev.interlock.testkit.workers;

/** Where random numbers begin: always at the same place, or at the one given by {@code -Dinterlock.seed}. */
final class Seeds {
    private static final long USUAL = 20_261_115;

    private Seeds() {}

    static long ofThisRun() {
        return Long.getLong("interlock.seed", USUAL);
    }
}
