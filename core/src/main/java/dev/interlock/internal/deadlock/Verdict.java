package dev.interlock.internal.deadlock;

import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.spi.WaitNote;
import java.util.List;
import java.util.Optional;

/**
 * What the monitor has found: the waits of a cycle, of which the first is to be given up. Only the process whose wait that is acts on it, and only on that very wait.
 *
 * @param cycle the ids of the waits, each for what the next one holds
 */
public record Verdict(List<String> cycle) {
    private static final String FORM = "verdict1";

    public static Verdict on(Deadlock deadlock) {
        return new Verdict(deadlock.waits().stream().map(wait -> wait.id()).toList());
    }

    /** The id of the wait that is given up. */
    public String victim() {
        return cycle.get(0);
    }

    /** The cycle among these edges; empty if it is not there any more. */
    public Optional<Deadlock> among(List<Edge> edges) {
        return Deadlock.among(edges).stream()
                .filter(deadlock -> Verdict.on(deadlock).equals(this))
                .findFirst();
    }

    public WaitNote note() {
        return new WaitNote("verdict-" + victim(), FORM + "\t" + String.join("\t", cycle));
    }

    /** Reads a note; empty if it is something else. */
    public static Optional<Verdict> read(WaitNote note) {
        List<String> parts = List.of(note.text().split("\t", -1));
        return parts.size() > 1 && parts.get(0).equals(FORM)
                ? Optional.of(new Verdict(parts.subList(1, parts.size())))
                : Optional.empty();
    }
}
