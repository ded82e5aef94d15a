package dev.interlock.testkit.history;

import java.time.Duration;
import java.util.List;

/**
 * A broken promise and the minimal list of events that prove it.
 *
 * @param invariant the broken invariant
 * @param sentence how it was broken
 * @param proven when the proof was complete, counted from the first event of the run
 * @param events one readable line for each event of the proof, earliest first
 * @since 0.1.0
 */
public record Violation(Invariant invariant, String sentence, Duration proven, List<String> events) {
    /** Copies the list. */
    public Violation {
        events = List.copyOf(events);
    }

    @Override
    public String toString() {
        return invariant.title() + ": " + sentence + "\n    " + String.join("\n    ", events);
    }
}
