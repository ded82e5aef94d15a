package dev.interlock.internal.deadlock;

import dev.interlock.lock.WaitForGraph.Edge;
import dev.interlock.lock.WaitForGraph.Wait;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Iterator;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * The strongly connected components of a wait-for graph. Tarjan's algorithm with an explicit stack, since a chain of
 * waits may be longer than the stack of a thread.
 */
final class Components {
    /** A wait that is being visited, and its edges that are not visited yet. */
    private record Visit(Wait at, Iterator<Edge> edges) {}

    private final Map<Wait, List<Edge>> from;
    private final Map<Wait, Integer> numbers = new HashMap<>();
    private final Map<Wait, Integer> lowest = new HashMap<>();
    private final Set<Wait> open = new HashSet<>();
    private final ArrayDeque<Wait> path = new ArrayDeque<>();
    private final List<Set<Wait>> cyclic = new ArrayList<>();

    Components(Map<Wait, List<Edge>> from) {
        this.from = from;
    }

    /** The components with more than one wait. No wait is for itself, so a single wait is on no cycle. */
    List<Set<Wait>> cyclic() {
        from.keySet().forEach(wait -> {
            if (!numbers.containsKey(wait)) {
                search(wait);
            }
        });
        return cyclic;
    }

    private void search(Wait root) {
        ArrayDeque<Visit> visits = new ArrayDeque<>();
        visits.push(enter(root));
        while (!visits.isEmpty()) {
            Visit visit = visits.element();
            if (visit.edges.hasNext()) {
                Wait next = visit.edges.next().blocker();
                if (!numbers.containsKey(next)) {
                    visits.push(enter(next));
                } else if (open.contains(next)) {
                    lower(visit.at, numbers.getOrDefault(next, 0));
                }
            } else {
                visits.pop();
                leave(visit.at);
                Visit parent = visits.peek();
                if (parent != null) {
                    lower(parent.at, lowest.getOrDefault(visit.at, 0));
                }
            }
        }
    }

    private Visit enter(Wait wait) {
        numbers.put(wait, numbers.size());
        lowest.put(wait, numbers.size() - 1);
        path.push(wait);
        open.add(wait);
        return new Visit(wait, from.getOrDefault(wait, List.of()).iterator());
    }

    private void lower(Wait wait, int to) {
        lowest.merge(wait, to, Math::min);
    }

    /** The waits above the root of a component on the path belong to the component. */
    private void leave(Wait wait) {
        if (!lowest.getOrDefault(wait, 0).equals(numbers.get(wait))) {
            return;
        }
        Set<Wait> component = new HashSet<>();
        Wait member;
        do {
            member = path.pop();
            open.remove(member);
            component.add(member);
        } while (!member.equals(wait));
        if (component.size() > 1) {
            cyclic.add(component);
        }
    }
}
