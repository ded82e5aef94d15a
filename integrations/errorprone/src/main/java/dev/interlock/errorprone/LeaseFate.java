package dev.interlock.errorprone;

/** What becomes of a lease in the code that took it. */
enum LeaseFate {
    /** Closed, whatever happens. */
    CLOSED,

    /** Closed, but not if something goes wrong before. */
    CLOSED_SOMETIMES,

    /** Returned, stored or given to somebody else, who has to close it. */
    HANDED_ON,

    /** Nobody can close it any more. */
    DROPPED;

    /** Whether a path is left on which nobody closes it. */
    boolean isAMistake() {
        return this == CLOSED_SOMETIMES || this == DROPPED;
    }

    /** Whether it is closed in the code that took it. */
    boolean endsHere() {
        return this == CLOSED || this == CLOSED_SOMETIMES;
    }
}
