package dev.interlock.internal.deadlock;

import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.spi.WaitReport;
import java.util.List;
import java.util.Optional;

/**
 * A deadlock that the monitor found, as a wait report: the waits of the cycle, the victim first. Only the victim's
 * process acts on it, and only on exactly this wait.
 *
 * @param cycle the ids of the waits; each needs what the next one holds
 */
public record DeadlockVerdict(List<String> cycle) {
    private static final String FORM = "verdict1";

    public static DeadlockVerdict on(Deadlock deadlock) {
        return new DeadlockVerdict(
                deadlock.waits().stream().map(wait -> wait.id()).toList());
    }

    /** The victim's id. */
    public String victim() {
        return cycle.get(0);
    }

    /** The cycle among these edges; empty if it no longer exists. */
    public Optional<Deadlock> among(List<Edge> edges) {
        return Deadlock.among(edges).stream()
                .filter(deadlock -> DeadlockVerdict.on(deadlock).equals(this))
                .findFirst();
    }

    public WaitReport report() {
        return new WaitReport("verdict-" + victim(), FORM + "\t" + String.join("\t", cycle));
    }

    /** Parses a wait report; empty if it is no verdict. */
    public static Optional<DeadlockVerdict> read(WaitReport report) {
        List<String> parts = List.of(report.text().split("\t", -1));
        return parts.size() > 1 && parts.get(0).equals(FORM)
                ? Optional.of(new DeadlockVerdict(parts.subList(1, parts.size())))
                : Optional.empty();
    }
}
