package dev.interlock.lock;

import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/**
 * The long waits of all processes of a namespace, and which of them block each other. It can be outdated when it is
 * read.
 *
 * <p>The graph contains the waits that have lasted for {@link DeadlockDetection#after()}, as their processes reported
 * them. On a store without wait reports, it contains only the waits of this process. A holder that waits for nothing is
 * not part of the graph, since it cannot block a waiter for ever. Holders of permits do not block each other: any of
 * them may return a permit.
 *
 * @param takenAt when the graph was read, by the clock of the reading process
 * @param waits the waits, oldest first
 * @since 0.1.0
 */
public record WaitForGraph(Instant takenAt, List<Wait> waits) {
    private static final int MAX_WRITERS_AHEAD = 4;

    /** Copies the list. */
    public WaitForGraph {
        waits = List.copyOf(waits);
    }

    /**
     * One request that waits.
     *
     * @param id identifies the wait. The part before the first dash identifies the {@code Interlock}. A request that
     *     gets one of several keys and waits for the next one starts a new wait
     * @param process the name of the process, with its host and process id
     * @param scopeId identifies the scope of the request among all processes
     * @param scope the name of the scope, for messages
     * @param wanted the key that the request waits for
     * @param mode the mode that it wants
     * @param since when it began to wait for this key, by the clock of its process
     * @param held what the scope holds, and what the request has acquired so far
     * @param gates the keys that the request will ask for next; because of these it blocks only requests of the same
     *     process
     */
    public record Wait(
            String id,
            String process,
            String scopeId,
            String scope,
            LockKey wanted,
            LockMode mode,
            Instant since,
            List<Held> held,
            List<LockKey> gates) {
        /** Copies the lists. */
        public Wait {
            held = List.copyOf(held);
            gates = List.copyOf(gates);
        }

        /** Uses only the id: a wait may hold a thousand keys, and a search looks up each wait many times. */
        @Override
        public int hashCode() {
            return id.hashCode();
        }

        /** Returns one line with the scope, what it holds, what it waits for and since when. */
        public String describe(Instant now) {
            return scope + " of " + process + " holds "
                    + (held.isEmpty() ? "nothing" : held.stream().map(Held::key).toList())
                    + " and has waited for \"" + wanted + "\" (" + mode + ") for "
                    + Math.max(0, Duration.between(since, now).toMillis()) + " ms, since " + since;
        }
    }

    /**
     * A key that a waiting scope holds.
     *
     * @param key the key
     * @param mode the mode in which it is held
     * @param token the fencing token
     */
    public record Held(LockKey key, LockMode mode, FencingToken token) {}

    /**
     * One wait that is blocked by another one.
     *
     * @param waiter the wait that is blocked
     * @param blocker the wait whose scope blocks it
     * @param key the key that the waiter wants
     */
    public record Edge(Wait waiter, Wait blocker, LockKey key) {}

    /**
     * Returns every pair of waits of which one blocks the other.
     *
     * <p>If several exclusive requests are ahead of a shared one, only the first few are returned. They all wait for
     * the same holders, so if one of them is on a cycle with the shared request, all are.
     */
    public List<Edge> edges() {
        Map<LockKey, List<Holder>> holders = new HashMap<>();
        Map<LockKey, List<Wait>> writers = new HashMap<>();
        Map<LockKey, List<Wait>> atGates = new HashMap<>();
        for (Wait wait : waits) {
            wait.held().forEach(held -> add(holders, held.key(), new Holder(wait, held.mode())));
            wait.gates().forEach(key -> add(atGates, key, wait));
            if (wait.mode() == LockMode.EXCLUSIVE) {
                add(writers, wait.wanted(), wait);
            }
        }
        writers.values()
                .forEach(queue -> queue.sort(Comparator.comparing(Wait::since).thenComparing(Wait::id)));
        List<Edge> edges = new ArrayList<>();
        for (Wait waiter : waits) {
            LockKey key = waiter.wanted();
            Stream.of(
                            holders.getOrDefault(key, List.of()).stream()
                                    .filter(holder -> holder.excludes(waiter))
                                    .map(Holder::blocker),
                            writers.getOrDefault(key, List.of()).stream()
                                    .takeWhile(writer -> isAhead(writer, waiter))
                                    .filter(writer -> !isSameScope(writer, waiter))
                                    .limit(MAX_WRITERS_AHEAD),
                            atGates.getOrDefault(key, List.of()).stream().filter(first -> isLocalTo(first, waiter)))
                    .flatMap(blockers -> blockers)
                    .filter(blocker -> !isSameScope(blocker, waiter))
                    .distinct()
                    .forEach(blocker -> edges.add(new Edge(waiter, blocker, key)));
        }
        return edges;
    }

    private static <T> void add(Map<LockKey, List<T>> index, LockKey key, T one) {
        index.computeIfAbsent(key, none -> new ArrayList<>()).add(one);
    }

    /** A wait, and the mode in which its scope holds the key. */
    private record Holder(Wait blocker, LockMode mode) {
        boolean excludes(Wait waiter) {
            return mode == LockMode.EXCLUSIVE || mode != waiter.mode();
        }
    }

    /**
     * A shared request does not overtake a waiting exclusive one, so it waits for that one too. This does not apply to
     * permits: they may be used up without an exclusive request, and then any holder may return one. If two requests
     * came in the same millisecond, the exclusive one counts as the first, since a shared request that waits without an
     * exclusive one ahead of it would have been granted.
     */
    private static boolean isAhead(Wait writer, Wait reader) {
        return reader.mode() == LockMode.SHARED && !writer.since().isAfter(reader.since());
    }

    private static boolean isSameScope(Wait one, Wait other) {
        return one.scopeId().equals(other.scopeId());
    }

    private static boolean isLocalTo(Wait one, Wait other) {
        return one.id()
                .substring(0, one.id().indexOf('-') + 1)
                .equals(other.id().substring(0, other.id().indexOf('-') + 1));
    }

    /** Returns the graph in the DOT language, for example for {@code dot -Tsvg}. */
    public String toDot() {
        StringBuilder dot = new StringBuilder("digraph waits {\n  label=\"waits at ")
                .append(takenAt)
                .append("\";\n  node [shape=box];\n");
        for (Wait wait : waits) {
            dot.append("  ")
                    .append(LockNames.quoted(wait.id()))
                    .append(" [label=")
                    .append(LockNames.quoted(wait.scope() + "\n" + wait.process() + "\nholds "
                            + wait.held().stream().map(Held::key).toList()))
                    .append("];\n");
        }
        for (Edge edge : edges()) {
            dot.append("  ")
                    .append(LockNames.quoted(edge.waiter().id()))
                    .append(" -> ")
                    .append(LockNames.quoted(edge.blocker().id()))
                    .append(" [label=")
                    .append(LockNames.quoted(edge.key().name()))
                    .append("];\n");
        }
        return dot.append("}\n").toString();
    }

    /** Returns one line per wait, each followed by the waits that block it. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                waits.isEmpty() ? "No long waits at " + takenAt + "\n" : waits.size() + " waits at " + takenAt + "\n");
        Map<String, List<Edge>> edges = edges().stream()
                .collect(Collectors.groupingBy(edge -> edge.waiter().id()));
        for (Wait wait : waits) {
            text.append(wait.describe(takenAt)).append('\n');
            for (Edge edge : edges.getOrDefault(wait.id(), List.of())) {
                text.append("    waits for ")
                        .append(edge.blocker().scope())
                        .append(" of ")
                        .append(edge.blocker().process())
                        .append('\n');
            }
        }
        return text.toString();
    }
}
