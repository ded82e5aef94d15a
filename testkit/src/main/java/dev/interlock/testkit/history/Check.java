package dev.interlock.testkit.history;

import java.util.Set;

/** One invariant, checked while all events pass by in the order of time. */
interface Check {
    /** The operations whose events it wants to see. */
    Set<Op> ops();

    /**
     * An event passes.
     *
     * @param attempt the number of its attempt in {@link Attempts}, whose state is that before the event; -1 if it has none
     */
    void see(int event, int attempt, Op op, Op.Phase phase);

    /** There are no more events. */
    default void end() {}
}
