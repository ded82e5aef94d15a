package dev.interlock.testkit.history;

import java.util.Set;

/** Checks one invariant while all events pass in the order of time. */
interface Check {
    /** The operations whose events the check receives. */
    Set<Op> ops();

    /**
     * Receives the next event.
     *
     * @param attempt its number in {@link AttemptStates}, which has the state before the event; -1 if it has none
     */
    void onEvent(int event, int attempt, Op op, Op.Phase phase);

    /** Called after the last event. */
    default void end() {}
}
