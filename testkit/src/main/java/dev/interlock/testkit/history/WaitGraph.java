package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Which scope waits for which at one moment, by which attempt and since which event. Scopes are numbered. An edge that
 * was added twice must be removed twice.
 */
final class WaitGraph {
    private static final class Edges {
        final Ints holders = new Ints(2);
        final Ints attempts = new Ints(2);
        final Ints events = new Ints(2);
    }

    private final List<Edges> waitsFor = new ArrayList<>();
    private final Ints visited = new Ints();
    private int visit;

    void add(int waiter, int holder, int attempt, int event) {
        edgesOf(waiter).events.add(event);
        edgesOf(waiter).holders.add(holder);
        edgesOf(waiter).attempts.add(attempt);
    }

    void remove(int waiter, int holder, int attempt) {
        Edges edges = edgesOf(waiter);
        for (int i = 0; i < edges.holders.size(); i++) {
            if (edges.holders.get(i) == holder && edges.attempts.get(i) == attempt) {
                edges.holders.removeAt(i);
                edges.attempts.removeAt(i);
                edges.events.removeAt(i);
                return;
            }
        }
    }

    /** Returns the event that began the wait of one scope for the other, or -1 if it does not wait. */
    int eventOf(int waiter, int holder) {
        Edges edges = edgesOf(waiter);
        for (int i = 0; i < edges.holders.size(); i++) {
            if (edges.holders.get(i) == holder) {
                return edges.events.get(i);
            }
        }
        return -1;
    }

    /**
     * Returns the path from one scope to another along the edges, both included, or an empty list if there is none.
     */
    List<Integer> path(int from, int to) {
        visit++;
        List<Integer> path = new ArrayList<>();
        List<Integer> tried = new ArrayList<>();
        enter(from, path, tried);
        // Depth-first search with an explicit stack: chains of waiters can be long.
        while (!path.isEmpty()) {
            int last = path.size() - 1;
            if (path.get(last) == to) {
                return path;
            }
            Ints holders = edgesOf(path.get(last)).holders;
            int next = tried.get(last);
            if (next == holders.size()) {
                path.remove(last);
                tried.remove(last);
                continue;
            }
            tried.set(last, next + 1);
            if (visited.get(holders.get(next)) != visit) {
                enter(holders.get(next), path, tried);
            }
        }
        return List.of();
    }

    /** Returns the attempts of all edges on any path from a scope back to itself. */
    List<Integer> attemptsOnCyclesOf(int scope) {
        List<Integer> reached = new ArrayList<>(List.of(scope));
        visit++;
        visited.set(scope, visit);
        for (int i = 0; i < reached.size(); i++) {
            Ints holders = edgesOf(reached.get(i)).holders;
            for (int edge = 0; edge < holders.size(); edge++) {
                if (visited.get(holders.get(edge)) != visit) {
                    visited.set(holders.get(edge), visit);
                    reached.add(holders.get(edge));
                }
            }
        }
        List<Integer> onCycles = new ArrayList<>();
        for (int from : reached) {
            Edges edges = edgesOf(from);
            for (int edge = 0; edge < edges.holders.size(); edge++) {
                if (!path(edges.holders.get(edge), scope).isEmpty()) {
                    onCycles.add(edges.attempts.get(edge));
                }
            }
        }
        return onCycles;
    }

    private void enter(int scope, List<Integer> path, List<Integer> tried) {
        visited.set(scope, visit);
        path.add(scope);
        tried.add(0);
    }

    private Edges edgesOf(int scope) {
        while (waitsFor.size() <= scope) {
            waitsFor.add(new Edges());
        }
        return waitsFor.get(scope);
    }
}
