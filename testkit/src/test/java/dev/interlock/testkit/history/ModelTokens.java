package dev.interlock.testkit.history;

import java.util.HashMap;
import java.util.Map;

/** The source of tokens: a durable counter per key, or one of its faulty imitations. */
final class ModelTokens {
    private static final int NODES = 3;

    private final ModelWorld world;
    private final Map<String, Long> counters = new HashMap<>();
    private final Map<String, Long> usedAt = new HashMap<>();
    private final long[] nodes = new long[NODES];
    private long revision;

    ModelTokens(ModelWorld world) {
        this.world = world;
    }

    long next(String key) {
        if (world.has(PlantedBug.ONE_ROUND_QUORUM_MAX)) {
            return maxOfMajority();
        }
        if (world.has(PlantedBug.BARE_REVISION_AS_TOKEN)) {
            return ++revision;
        }
        Long last = usedAt.put(key, world.now());
        if (world.has(PlantedBug.COUNTER_KEPT_WITH_LEASE) && last != null && idle(last)) {
            counters.remove(key);
        }
        return counters.merge(key, 1L, Long::sum);
    }

    /** A release writes as well. */
    void deleted() {
        revision++;
    }

    /** The server is back. The argument is the highest token of an existing lock. */
    void restarted(long highestLive) {
        if (world.has(PlantedBug.FENCE_RESET_ON_RESTART)) {
            counters.clear();
        }
        // Deleted records are compacted away, and the newest revisions with them.
        revision = highestLive;
    }

    private boolean idle(long since) {
        return world.now() - since > ModelProcess.LEASE;
    }

    /** Each node of some majority counts for itself, and the result is never written back. */
    private long maxOfMajority() {
        int away = (int) world.between(0, NODES - 1);
        long most = 0;
        for (int node = 0; node < NODES; node++) {
            if (node != away) {
                most = Math.max(most, ++nodes[node]);
            }
        }
        return most;
    }
}
