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
 * Waits of which each is for what the next one holds, and the last for what the first holds.
 *
 * <p>The first one is the victim: of all waits on the cycle it began last, and of two that began at once its id is the larger. A cycle comes into being with
 * its last wait, so later waits change nothing about the choice, and all who look choose the same.
 *
 * @param edges the cycle, beginning with what the victim waits for
 */
public record Deadlock(List<Edge> edges) {
    private static final Comparator<Wait> BY_AGE =
            Comparator.comparing(Wait::since).thenComparing(Wait::id);

    /** The wait that is given up. */
    public Wait victim() {
        return edges.get(0).waiter();
    }

    /** The waits, each for what the next one holds. */
    public List<Wait> waits() {
        return edges.stream().map(Edge::waiter).toList();
    }

    /**
     * One deadlock of each part of the graph in which everyone waits for everyone. Waits are added one after the other, the oldest first; the
     * first that closes a cycle is its victim. What else is wrong there shows when that one is gone: it may be nothing, since
     * whoever it held up goes on.
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
