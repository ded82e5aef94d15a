package dev.interlock.testkit.history;

/**
 * A promise that the history of correct locks must show.
 *
 * @since 0.1.0
 */
public enum Invariant {
    /** If one grant was complete before another one was requested, its token is smaller. No token has two owners. */
    H1_FENCE_ORDER("fence order"),
    /** Two owners that exclude each other are never both inside the validity that the store granted them. */
    H2_WINDOW_EXCLUSIVITY("window exclusivity"),
    /** In the order of the resource, accepted tokens never fall, and equal ones belong to one owner. */
    H3_NO_STALE_EFFECT("no stale effect"),
    /** Each accepted write was based on the value before it, and no acknowledged write is missing. */
    H4_NO_LOST_UPDATE("no lost update"),
    /** Renewal and release succeed only for the current owner. */
    H5_OWNERSHIP("ownership"),
    /** A wait that ended is never granted afterwards. */
    H6_NO_LATE_GRANT("no late grant"),
    /** A holder is notified of its loss before it continues past its validity. */
    H7_NOTIFIED_IN_TIME("notified in time"),
    /** After the last fault, requests are granted in time, and nothing is held at rest. */
    H8_LIVENESS("liveness"),
    /** Re-entry keeps the token, and the depth is correct and never negative. */
    H9_REENTRANCY("re-entrancy"),
    /** Several keys are acquired in their order, and at rest all or none of them are held. */
    H10_MULTI_LOCK("multi-lock"),
    /** A victim was on a cycle that existed at one instant, and a lasting cycle has a victim. */
    H11_DEADLOCK("deadlock");

    private final String title;

    Invariant(String title) {
        this.title = title;
    }

    /** The label for tables, for example {@code H3 no stale effect}. */
    public String title() {
        return name().substring(0, name().indexOf('_')) + " " + title;
    }
}
