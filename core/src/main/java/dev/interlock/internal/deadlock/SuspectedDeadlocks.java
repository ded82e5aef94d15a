package dev.interlock.internal.deadlock;

import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.lock.WaitForGraph.Held;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cycles that were seen once and must be confirmed by a second reading.
 *
 * <p>Wait reports are from different moments, so a cycle in one reading may never have existed. It is confirmed when
 * a later reading shows the same waits and the same grants, and each wait was reported at least twice since the first
 * reading. The first of these reports may already have been on its way at the first reading, but the second was made
 * after the first had arrived, so after that reading. Each wait therefore lasted through the moment of the first
 * reading, and at that moment they formed the cycle.
 */
public final class SuspectedDeadlocks {
    /** One edge of a cycle: the waiter, the holder that blocks it, and the grant of that holder. */
    private record CycleEdge(
            String waiter, String blocker, @Nullable Held held) {}

    private record Seen(List<CycleEdge> links, Map<String, Long> versions) {}

    private Map<String, Seen> seen = new HashMap<>();

    /** The deadlocks that are confirmed by this reading. The others are remembered until the next one. */
    public List<Deadlock> confirmed(List<Deadlock> deadlocks, List<ReportedWait> waits) {
        Map<String, Long> versions = new HashMap<>();
        waits.forEach(wait -> versions.put(wait.described().id(), wait.version()));
        List<Deadlock> confirmed = new ArrayList<>();
        Map<String, Seen> remembered = new HashMap<>();
        for (Deadlock deadlock : deadlocks) {
            String victim = deadlock.victim().id();
            List<CycleEdge> links =
                    deadlock.edges().stream().map(SuspectedDeadlocks::link).toList();
            Seen before = seen.get(victim);
            if (before == null || !before.links.equals(links)) {
                remembered.put(victim, new Seen(links, versions));
            } else {
                remembered.put(victim, before);
                if (links.stream().allMatch(link -> isReportedTwiceSince(link.waiter, before.versions, versions))) {
                    confirmed.add(deadlock);
                }
            }
        }
        seen = remembered;
        return confirmed;
    }

    private static boolean isReportedTwiceSince(String wait, Map<String, Long> before, Map<String, Long> now) {
        Long first = before.get(wait);
        Long latest = now.get(wait);
        return first != null && latest != null && latest >= first + 2;
    }

    /** Whether a cycle is not confirmed yet. */
    public boolean isAny() {
        return !seen.isEmpty();
    }

    private static CycleEdge link(Edge edge) {
        Held held = edge.blocker().held().stream()
                .filter(one -> one.key().equals(edge.key()))
                .findFirst()
                .orElse(null);
        return new CycleEdge(edge.waiter().id(), edge.blocker().id(), held);
    }
}
