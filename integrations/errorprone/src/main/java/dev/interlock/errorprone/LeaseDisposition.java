package dev.interlock.errorprone;

/** What happens to a lease in the code that acquired it. */
enum LeaseDisposition {
    /** Closed on every path. */
    CLOSED,

    /** Closed, except if an earlier statement returns or throws. */
    CLOSED_SOMETIMES,

    /** Returned, stored or passed on. The receiving code must close it. */
    HANDED_ON,

    /** No code can close it any more. */
    DROPPED;

    /** Whether there is a path on which the lease is not closed. */
    boolean canLeak() {
        return this == CLOSED_SOMETIMES || this == DROPPED;
    }

    /** Whether the code that acquired the lease closes it. */
    boolean isClosedHere() {
        return this == CLOSED || this == CLOSED_SOMETIMES;
    }
}
