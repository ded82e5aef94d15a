package dev.interlock.internal.deadlock;

import dev.interlock.lock.LearnedOrder.Inversion;
import dev.interlock.lock.LearnedOrder.Step;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The observed pairs of a held and a wanted lock, each pair once.
 *
 * <p>Checking a known pair takes two look-ups and no lock. Thread-safe.
 */
public final class ObservedNesting {
    private final int maxPairs;
    private final Map<String, Map<String, Step>> bySource = new ConcurrentHashMap<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Step> steps = new ArrayList<>();
    private volatile int count;

    /**
     * @param maxPairs how many pairs are remembered
     */
    public ObservedNesting(int maxPairs) {
        this.maxPairs = maxPairs;
    }

    public boolean knows(String held, String wanted) {
        Map<String, Step> wantedBefore = bySource.get(held);
        return wantedBefore != null && wantedBefore.containsKey(wanted);
    }

    /** The number of known pairs. */
    public int count() {
        return count;
    }

    /** Whether a new pair is ignored: it cannot be remembered, and it does not contradict a remembered one. */
    public boolean ignores(String held, String wanted) {
        return count >= maxPairs && direct(wanted, held).isEmpty();
    }

    /** Adds a pair. Returns the cycle that it closes if it is new, otherwise null. */
    public @Nullable Inversion add(Step step) {
        mutex.lock();
        try {
            if (knows(step.held(), step.wanted())) {
                return null;
            }
            // When the table is full, the same pairs are added again and again, so only the direct contradiction is
            // searched for.
            List<Step> back = count < maxPairs ? path(step.wanted(), step.held()) : direct(step.wanted(), step.held());
            // A pair that closes a cycle is kept beyond the limit, up to twice as many, so that it is reported only
            // once.
            if (count < (back.isEmpty() ? maxPairs : 2 * maxPairs)) {
                steps.add(step);
                bySource.computeIfAbsent(step.held(), none -> new ConcurrentHashMap<>())
                        .put(step.wanted(), step);
                count = steps.size();
            } else {
                return null;
            }
            if (back.isEmpty()) {
                return null;
            }
            List<Step> cycle = new ArrayList<>();
            cycle.add(step);
            cycle.addAll(back);
            return new Inversion(cycle);
        } finally {
            mutex.unlock();
        }
    }

    private List<Step> direct(String from, String to) {
        Step step = bySource.getOrDefault(from, Map.of()).get(to);
        return step == null ? List.of() : List.of(step);
    }

    /** The shortest path from one to the other; empty if there is none. */
    private List<Step> path(String from, String to) {
        Map<String, Step> cameBy = new HashMap<>();
        ArrayDeque<String> open = new ArrayDeque<>(List.of(from));
        while (!open.isEmpty() && !cameBy.containsKey(to)) {
            for (Step step : bySource.getOrDefault(open.remove(), Map.of()).values()) {
                if (!step.wanted().equals(from) && cameBy.putIfAbsent(step.wanted(), step) == null) {
                    open.add(step.wanted());
                }
            }
        }
        List<Step> path = new ArrayList<>();
        for (Step step = cameBy.get(to); step != null; step = cameBy.get(step.held())) {
            path.add(step);
        }
        Collections.reverse(path);
        return path;
    }

    public List<Step> steps() {
        mutex.lock();
        try {
            return List.copyOf(steps);
        } finally {
            mutex.unlock();
        }
    }
}
