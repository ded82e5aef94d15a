package dev.interlock.testkit.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Who waits for whom, from who has asked for an exclusive lock and who has it.
 *
 * <p>For runs whose processes cannot know whom they wait for. Owners are scopes, and each waits for one lock at a time. A lock counts as held from when its holder
 * heard of the grant until it asked for the release or was told of the loss: a little less than it was, which is nothing beside a wait that lasts.
 */
final class DerivedWaits {
    /** Who hears of edges. The event of an edge that begins is the one by which the waiting began. */
    interface Edges {
        void begin(long waiter, long holder, int attempt, int event);

        void end(long waiter, long holder, int attempt, int event);
    }

    private static final int NOBODY = -1;

    private final History history;
    private final Attempts attempts;
    private final Edges edges;
    private final Map<Integer, Integer> holders = new HashMap<>();
    private final Map<Integer, Set<Integer>> waiting = new HashMap<>();

    DerivedWaits(History history, Attempts attempts, Edges edges) {
        this.history = history;
        this.attempts = attempts;
        this.edges = edges;
    }

    void see(int event, int attempt, Op op, Op.Phase phase) {
        int key = Op.name(history.headers[event]);
        if (Op.mode(history.headers[event]) != Op.EXCLUSIVE) {
            return;
        }
        if (op == Op.ACQUIRE && phase == Op.Phase.INVOKE) {
            waitingFor(key).add(attempt);
            begin(attempt, history.owners[event], holders.getOrDefault(key, NOBODY), event);
        } else if (op == Op.ACQUIRE) {
            if (waitingFor(key).remove(attempt)) {
                end(attempt, holders.getOrDefault(key, NOBODY), event);
            }
            if (phase == Op.Phase.OK) {
                freed(key, event);
                holders.put(key, attempt);
                waitingFor(key).forEach(one -> begin(one, owner(one), attempt, attempts.invoked(one)));
            }
        } else if (holders.getOrDefault(key, NOBODY) == attempt && (op == Op.LOST || phase == Op.Phase.INVOKE)) {
            freed(key, event);
        }
    }

    private Set<Integer> waitingFor(int key) {
        return waiting.computeIfAbsent(key, none -> new HashSet<>());
    }

    private void freed(int key, int event) {
        int holder = holders.getOrDefault(key, NOBODY);
        holders.remove(key);
        waitingFor(key).forEach(one -> end(one, holder, event));
    }

    private void begin(int attempt, long waiter, int holder, int event) {
        if (holder != NOBODY && owner(holder) != waiter) {
            edges.begin(waiter, owner(holder), attempt, event);
        }
    }

    private void end(int attempt, int holder, int event) {
        if (holder != NOBODY && owner(holder) != owner(attempt)) {
            edges.end(owner(attempt), owner(holder), attempt, event);
        }
    }

    private long owner(int attempt) {
        return history.owners[attempts.invoked(attempt)];
    }
}
