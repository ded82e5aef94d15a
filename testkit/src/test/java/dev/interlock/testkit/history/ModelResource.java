package dev.interlock.testkit.history;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The protected resource: a value and a fence per key. Repeated writes are recognized by their value. */
final class ModelResource {
    private final ModelWorld world;
    private final ResourceRecorder recorder;
    private final boolean fenced;
    private final Map<String, Long> fences = new HashMap<>();
    private final Map<String, Long> fenceOwners = new HashMap<>();
    private final Map<String, Long> values = new HashMap<>();
    private final Set<Long> applied = new HashSet<>();

    ModelResource(ModelWorld world, ResourceRecorder recorder, boolean fenced) {
        this.world = world;
        this.recorder = recorder;
        this.fenced = fenced;
    }

    boolean raise(String key, RecordedAttempt by) {
        long fence = fence(key);
        boolean accepted = passes(key, by);
        recorder.raised(key, by.id(), by.owner(), by.token(), fence, accepted);
        if (accepted) {
            raiseFence(key, by);
        }
        return accepted;
    }

    long read(String key, RecordedAttempt by) {
        long value = value(key);
        recorder.read(key, by.id(), by.owner(), by.token(), value, fence(key));
        return value;
    }

    boolean write(String key, RecordedAttempt by, long base, long value) {
        if (applied.contains(value)) {
            return true;
        }
        if (world.has(PlantedBug.WRITE_ACKNOWLEDGED_BUT_DROPPED) && world.chance(0.05)) {
            return true;
        }
        long fence = fence(key);
        boolean accepted = passes(key, by);
        recorder.wrote(key, by.id(), by.owner(), by.token(), base, value, fence, accepted);
        if (accepted) {
            raiseFence(key, by);
            values.put(key, value);
            applied.add(value);
        }
        return accepted;
    }

    long value(String key) {
        return values.getOrDefault(key, 0L);
    }

    private boolean passes(String key, RecordedAttempt by) {
        if (!fenced || world.has(PlantedBug.RESOURCE_WITHOUT_TOKEN_CHECK)) {
            return true;
        }
        boolean sameOwner = fenceOwners.getOrDefault(key, 0L) == by.owner();
        return by.token() > fence(key) || (by.token() == fence(key) && sameOwner);
    }

    private void raiseFence(String key, RecordedAttempt by) {
        if (by.token() > fence(key)) {
            fences.put(key, by.token());
            fenceOwners.put(key, by.owner());
        }
    }

    private long fence(String key) {
        return fences.getOrDefault(key, 0L);
    }
}
