package dev.interlock.testkit.workers;

/** The seed of random numbers: a constant, or the one given by {@code -Dinterlock.seed}. */
final class Seeds {
    private static final long USUAL = 20_261_115;

    private Seeds() {}

    static long ofThisRun() {
        return Long.getLong("interlock.seed", USUAL);
    }
}
