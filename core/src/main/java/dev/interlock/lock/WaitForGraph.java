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
 * Who waits for whom, over all processes of a namespace, or on a store that keeps no notes within this one; already stale when it is read.
 *
 * <p>It knows the waits that have lasted for a while ({@link DeadlockDetection#after()}), as their processes describe them. A holder that waits
 * for nothing is not in it, since it holds nobody up for ever. Permits make no edges among each other: any of their holders may return one.
 *
 * @param takenAt when it was read, by the clock of the reading process
 * @param waits the waits, the oldest first
 */
public record WaitForGraph(Instant takenAt, List<Wait> waits) {
    private static final int WRITERS_AHEAD = 4;

    /** Copies the list. */
    public WaitForGraph {
        waits = List.copyOf(waits);
    }

    /**
     * One request that waits.
     *
     * @param id names this wait, and up to its first dash the {@code Interlock} whose wait it is; a request that gets one of several keys and
     *     waits for the next one has a new wait
     * @param process what the process calls itself, with its host and process id
     * @param scopeId names the scope that waits, among all processes
     * @param scope the scope's name, for people
     * @param wanted the key that it waits for
     * @param mode how it wants the key
     * @param since when it began to wait for this key, by the clock of its process
     * @param held what the scope holds, and what the request has collected so far
     * @param gates keys that the request is about to ask for; only requests of the same process wait for it because of these
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

        /** By the id alone: a wait may hold a thousand keys, and a search looks it up again and again. */
        @Override
        public int hashCode() {
            return id.hashCode();
        }

        /** Who, what it holds, what it wants and since when, in one line. */
        public String describe(Instant now) {
            return scope + " of " + process + " holds "
                    + (held.isEmpty() ? "nothing" : held.stream().map(Held::key).toList())
                    + " and has waited for \"" + wanted + "\" (" + mode + ") for "
                    + Math.max(0, Duration.between(since, now).toMillis()) + " ms, since " + since;
        }
    }

    /** A key that is held, how, and by which token. */
    public record Held(LockKey key, LockMode mode, FencingToken token) {}

    /** One waits for the other because of this key. */
    public record Edge(Wait waiter, Wait blocker, LockKey key) {}

    /**
     * Every pair of which one waits for the other; of the writers that a reader waits behind, the first few. They all wait for the same
     * holders, so if one of them is on a cycle with the reader, so are the others.
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
                                    .map(Holder::who),
                            writers.getOrDefault(key, List.of()).stream()
                                    .takeWhile(writer -> isAhead(writer, waiter))
                                    .filter(writer -> !isSameScope(writer, waiter))
                                    .limit(WRITERS_AHEAD),
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

    /** One that waits for something and holds a key in this mode. */
    private record Holder(Wait who, LockMode mode) {
        boolean excludes(Wait waiter) {
            return mode == LockMode.EXCLUSIVE || mode != waiter.mode();
        }
    }

    /**
     * A reader does not overtake a writer that waits, so it waits for that one too. Not so with permits: they may be used up without any
     * writer, and then whoever has one may return it. Of two that came in the same millisecond, each may have been first: the writer counts
     * as that, since a reader that waits without one would be in.
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

    /** The graph in the DOT language, for example for {@code dot -Tsvg}. */
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

    /** One line per wait, and below it whom it waits for. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder(
                waits.isEmpty()
                        ? "Nobody waits for long at " + takenAt + "\n"
                        : waits.size() + " waits at " + takenAt + "\n");
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
