package dev.interlock.testkit.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/**
 * Derives which scope waits for which from requests for exclusive locks and their grants.
 *
 * <p>For runs whose processes do not know which scope they wait for. Owners are scopes, and each waits for one lock at
 * a time. A lock counts as held from the moment its holder learned of the grant until it requested the release or was
 * notified of the loss. That is slightly shorter than the real hold, which does not matter for a wait that lasts.
 */
final class DerivedWaits {
    /** Receives the edges. The event of a beginning edge is the one that began the wait. */
    interface Edges {
        void begin(long waiter, long holder, int attempt, int event);

        void end(long waiter, long holder, int attempt, int event);
    }

    private static final int NO_HOLDER = -1;

    private final History history;
    private final AttemptStates attempts;
    private final Edges edges;
    private final Map<Integer, Integer> holders = new HashMap<>();
    private final Map<Integer, Set<Integer>> waiting = new HashMap<>();

    DerivedWaits(History history, AttemptStates attempts, Edges edges) {
        this.history = history;
        this.attempts = attempts;
        this.edges = edges;
    }

    void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        int key = Op.name(history.headers[event]);
        if (Op.mode(history.headers[event]) != Op.EXCLUSIVE) {
            return;
        }
        if (op == Op.ACQUIRE && phase == Op.Phase.INVOKE) {
            waitingFor(key).add(attempt);
            begin(attempt, history.owners[event], holders.getOrDefault(key, NO_HOLDER), event);
        } else if (op == Op.ACQUIRE) {
            if (waitingFor(key).remove(attempt)) {
                end(attempt, holders.getOrDefault(key, NO_HOLDER), event);
            }
            if (phase == Op.Phase.OK) {
                freed(key, event);
                holders.put(key, attempt);
                waitingFor(key).forEach(one -> begin(one, owner(one), attempt, attempts.invoked(one)));
            }
        } else if (holders.getOrDefault(key, NO_HOLDER) == attempt && (op == Op.LOST || phase == Op.Phase.INVOKE)) {
            freed(key, event);
        }
    }

    private Set<Integer> waitingFor(int key) {
        return waiting.computeIfAbsent(key, none -> new HashSet<>());
    }

    private void freed(int key, int event) {
        int holder = holders.getOrDefault(key, NO_HOLDER);
        holders.remove(key);
        waitingFor(key).forEach(one -> end(one, holder, event));
    }

    private void begin(int attempt, long waiter, int holder, int event) {
        if (holder != NO_HOLDER && owner(holder) != waiter) {
            edges.begin(waiter, owner(holder), attempt, event);
        }
    }

    private void end(int attempt, int holder, int event) {
        if (holder != NO_HOLDER && owner(holder) != owner(attempt)) {
            edges.end(owner(attempt), owner(holder), attempt, event);
        }
    }

    private long owner(int attempt) {
        return history.owners[attempts.invoked(attempt)];
    }
}
