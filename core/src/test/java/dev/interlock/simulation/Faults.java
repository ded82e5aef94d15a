package dev.interlock.simulation;

import java.util.SplittableRandom;

/**
 * The faults of one run. The seed chooses the fault model, so that some runs are calm enough to check liveness.
 *
 * @param loss how often a message is lost
 * @param duplication how often a message arrives twice
 * @param lateness how often a message is very late
 * @param pauses how often a process is paused, per second
 * @param kills whether processes are killed
 * @param outages whether the network is cut for a while
 * @param forced whether an operator releases locks by force
 */
record Faults(
        double loss,
        double duplication,
        double lateness,
        double pauses,
        boolean kills,
        boolean outages,
        boolean forced) {
    static final Faults NONE = new Faults(0, 0, 0, 0, false, false, false);

    static Faults draw(SplittableRandom random) {
        return switch (random.nextInt(5)) {
            case 0 -> NONE;
            case 1 -> new Faults(0.05, 0, 0, 0, false, false, false);
            case 2 -> new Faults(0, 0, 0, 0.7, true, false, true);
            case 3 -> new Faults(0.1, 0.1, 0.1, 0, false, true, false);
            default -> new Faults(0.1, 0.05, 0.05, 0.7, true, true, random.nextBoolean());
        };
    }

    /** There are no faults, so no request with enough patience may time out. */
    boolean isCalm() {
        return equals(NONE);
    }

    /** Only single messages are lost: a renewed lease must survive that. */
    boolean isOnlyLossy() {
        return pauses == 0 && !kills && !outages && lateness == 0;
    }

    /** No request arrives after its caller gave up, so there are no orphaned grants. */
    boolean hasNoOrphans() {
        return duplication == 0 && lateness == 0 && pauses == 0;
    }
}
