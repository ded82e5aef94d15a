package dev.interlock.internal.deadlock;

import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.lock.WaitForGraph.Wait;
import java.util.ArrayList;
import java.util.Collections;
import java.util.Comparator;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * A cycle of waits: each needs what the next one holds, and the last needs what the first holds.
 *
 * <p>The first wait is the victim. It began last of all waits on the cycle; of two that began at the same time, it
 * has the larger id. The last wait closes the cycle, so later waits do not change the choice, and all processes
 * choose the same victim.
 *
 * @param edges the cycle, beginning with the victim's edge
 */
public record Deadlock(List<Edge> edges) {
    private static final Comparator<Wait> BY_AGE =
            Comparator.comparing(Wait::since).thenComparing(Wait::id);

    /** The wait that is ended to break the cycle. */
    public Wait victim() {
        return edges.get(0).waiter();
    }

    /** The waits. Each needs what the next one holds. */
    public List<Wait> waits() {
        return edges.stream().map(Edge::waiter).toList();
    }

    /**
     * Finds one deadlock per strongly connected component. Waits are added one after another, the oldest first, and
     * the first wait that closes a cycle is the victim. Further cycles in the same component may dissolve when the
     * victim has gone; if not, the next search finds them.
     */
    public static List<Deadlock> among(List<Edge> edges) {
        Map<Wait, List<Edge>> from = new HashMap<>();
        edges.forEach(edge ->
                from.computeIfAbsent(edge.waiter(), none -> new ArrayList<>()).add(edge));
        List<Deadlock> found = new ArrayList<>();
        for (Set<Wait> component : new Components(from).cyclic()) {
            found.add(firstAmong(component, from));
        }
        found.sort(Comparator.comparing(Deadlock::victim, BY_AGE));
        return found;
    }

    private static Deadlock firstAmong(Set<Wait> component, Map<Wait, List<Edge>> from) {
        Set<Wait> present = new HashSet<>();
        for (Wait next : component.stream().sorted(BY_AGE).toList()) {
            present.add(next);
            List<Edge> cycle = shortestCycle(next, from, present);
            if (!cycle.isEmpty()) {
                return new Deadlock(cycle);
            }
        }
        throw new IllegalStateException("No cycle among " + component);
    }

    private static List<Edge> shortestCycle(Wait start, Map<Wait, List<Edge>> from, Set<Wait> present) {
        Map<Wait, Edge> cameBy = new LinkedHashMap<>();
        List<Wait> layer = List.of(start);
        while (!layer.isEmpty()) {
            List<Wait> next = new ArrayList<>();
            for (Wait wait : layer) {
                for (Edge edge : inOrder(from.get(wait))) {
                    if (edge.blocker().equals(start)) {
                        return pathTo(edge, start, cameBy);
                    }
                    if (present.contains(edge.blocker()) && cameBy.putIfAbsent(edge.blocker(), edge) == null) {
                        next.add(edge.blocker());
                    }
                }
            }
            layer = next;
        }
        return List.of();
    }

    private static List<Edge> inOrder(@Nullable List<Edge> edges) {
        return edges == null
                ? List.of()
                : edges.stream()
                        .sorted(Comparator.comparing(Edge::blocker, BY_AGE))
                        .toList();
    }

    private static List<Edge> pathTo(Edge last, Wait start, Map<Wait, Edge> cameBy) {
        List<Edge> path = new ArrayList<>();
        for (Edge edge = last; edge != null; edge = edge.waiter().equals(start) ? null : cameBy.get(edge.waiter())) {
            path.add(edge);
        }
        Collections.reverse(path);
        return List.copyOf(path);
    }
}
