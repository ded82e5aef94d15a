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
 * What has been waited for while what was held, each pair once.
 *
 * <p>Asking for a known pair is two look-ups without a lock. Thread-safe.
 */
public final class Nestings {
    private final int most;
    private final Map<String, Map<String, Step>> bySource = new ConcurrentHashMap<>();
    private final ReentrantLock mutex = new ReentrantLock();
    private final List<Step> steps = new ArrayList<>();
    private volatile int count;

    /** Remembers at most so many pairs. */
    public Nestings(int most) {
        this.most = most;
    }

    public boolean knows(String held, String wanted) {
        Map<String, Step> wantedBefore = bySource.get(held);
        return wantedBefore != null && wantedBefore.containsKey(wanted);
    }

    /** How many pairs are known. */
    public int count() {
        return count;
    }

    /** Whether a new pair can be part of no inversion any more: it cannot be remembered, and does not contradict one that is. */
    public boolean ignores(String held, String wanted) {
        return count >= most && direct(wanted, held).isEmpty();
    }

    /** Adds a pair; gives the cycle that it closes, if it is the first to do so. */
    public @Nullable Inversion add(Step step) {
        mutex.lock();
        try {
            if (knows(step.held(), step.wanted())) {
                return null;
            }
            // Once it is full this is asked again and again for the same pairs, so only the direct contradiction is
            // looked for.
            List<Step> back = count < most ? path(step.wanted(), step.held()) : direct(step.wanted(), step.held());
            // One that closes a cycle is kept in any case, up to twice as many: it is not to be reported again.
            if (count < (back.isEmpty() ? most : 2 * most)) {
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

    /** The shortest way from one to the other; empty if there is none. */
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
