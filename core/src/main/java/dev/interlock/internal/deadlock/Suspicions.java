package dev.interlock.internal.deadlock;

import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.lock.WaitForGraph.Held;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cycles that were seen, and are believed only when they are seen again.
 *
 * <p>Descriptions of waits come from different moments, so a cycle in one reading may never have been. It is believed when a later reading shows the same waits and
 * the same grants, each described twice anew since the first one. The first of these may have been on its way already, but the second was made when that had arrived, after
 * the first reading: so each of the waits lasted through the moment of that reading, and all together were the cycle.
 */
public final class Suspicions {
    /** One wait of a cycle: who waits for whom, and by what right the other holds. */
    private record Link(
            String waiter, String blocker, @Nullable Held held) {}

    private record Seen(List<Link> links, Map<String, Long> versions) {}

    private Map<String, Seen> seen = new HashMap<>();

    /** The deadlocks among these that are confirmed now; the others are remembered until the next reading. */
    public List<Deadlock> confirmed(List<Deadlock> deadlocks, List<Row> rows) {
        Map<String, Long> versions = new HashMap<>();
        rows.forEach(row -> versions.put(row.described().id(), row.version()));
        List<Deadlock> confirmed = new ArrayList<>();
        Map<String, Seen> remembered = new HashMap<>();
        for (Deadlock deadlock : deadlocks) {
            String victim = deadlock.victim().id();
            List<Link> links = deadlock.edges().stream().map(Suspicions::link).toList();
            Seen before = seen.get(victim);
            if (before == null || !before.links.equals(links)) {
                remembered.put(victim, new Seen(links, versions));
            } else {
                remembered.put(victim, before);
                if (links.stream().allMatch(link -> isDescribedAnew(link.waiter, before.versions, versions))) {
                    confirmed.add(deadlock);
                }
            }
        }
        seen = remembered;
        return confirmed;
    }

    private static boolean isDescribedAnew(String wait, Map<String, Long> before, Map<String, Long> now) {
        Long then = before.get(wait);
        Long lately = now.get(wait);
        return then != null && lately != null && lately >= then + 2;
    }

    /** Whether some cycle waits for its confirmation. */
    public boolean isAny() {
        return !seen.isEmpty();
    }

    private static Link link(Edge edge) {
        Held held = edge.blocker().held().stream()
                .filter(one -> one.key().equals(edge.key()))
                .findFirst()
                .orElse(null);
        return new Link(edge.waiter().id(), edge.blocker().id(), held);
    }
}
