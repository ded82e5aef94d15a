package dev.interlock.testkit.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;

/**
 * Searches for cycles of waits in the rows that waiters post.
 *
 * <p>A second search confirms a cycle: every wait on it must be the same as before, and its process must have reported
 * it after the first search. So all of them existed at the moment of the first search.
 */
final class ModelDetector {
    private static final long SEARCH_EVERY = 200 * ModelWorld.MILLI;

    private final ModelWorld world;
    private final ModelStore store;
    private final List<ModelProcess> processes;
    private final Map<Long, ModelStore.Row> everSeen = new HashMap<>();
    private Map<Long, ModelStore.Row> before = Map.of();
    private long beforeAt;

    ModelDetector(ModelWorld world, ModelStore store, List<ModelProcess> processes) {
        this.world = world;
        this.store = store;
        this.processes = processes;
    }

    void start() {
        world.in(SEARCH_EVERY, this::search);
    }

    private void search() {
        if (store.up() && !world.has(PlantedBug.DETECTOR_DISABLED)) {
            everSeen.putAll(store.rows);
            Map<Long, ModelStore.Row> waits =
                    world.has(PlantedBug.PHANTOM_VICTIM) ? new HashMap<>(everSeen) : confirmed();
            victims(waits)
                    .forEach(victim -> processes.forEach(process -> world.in(
                            world.between(200_000, 2 * ModelWorld.MILLI),
                            () -> process.run(() ->
                                    process.victim(victim, waits.get(victim).attempt())))));
            before = Map.copyOf(store.rows);
            beforeAt = world.now();
            everSeen.values().removeIf(row -> row.reportedAt() + 5 * SEARCH_EVERY < world.now());
            store.rows.values().removeIf(row -> row.reportedAt() + 5 * SEARCH_EVERY < world.now());
        }
        world.in(SEARCH_EVERY, this::search);
    }

    private Map<Long, ModelStore.Row> confirmed() {
        Map<Long, ModelStore.Row> waits = new HashMap<>(store.rows);
        waits.entrySet().removeIf(entry -> {
            ModelStore.Row old = before.get(entry.getKey());
            ModelStore.Row row = entry.getValue();
            return old == null
                    || old.attempt() != row.attempt()
                    || old.holder() != row.holder()
                    || old.since() != row.since()
                    || row.reportedAt() < beforeAt;
        });
        return waits;
    }

    /** One wait of each cycle: the one with the highest number, so that every detector would choose the same. */
    private static Set<Long> victims(Map<Long, ModelStore.Row> waits) {
        Set<Long> victims = new HashSet<>();
        for (Long start : waits.keySet()) {
            long highest = start;
            long at = waits.get(start).holder();
            for (int steps = 0; steps < waits.size() && at != start && waits.containsKey(at); steps++) {
                highest = Math.max(highest, at);
                at = waits.get(at).holder();
            }
            if (at == start) {
                victims.add(highest);
            }
        }
        return victims;
    }
}
