package dev.interlock.simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.PriorityQueue;
import java.util.SplittableRandom;

/**
 * Virtual time and its scheduled events, on one thread, determined by one seed.
 *
 * <p>The seed chooses the order of events at the same moment.
 */
final class World {
    private record Event(long atNanos, long tie, Runnable what) {}

    final SplittableRandom random;
    private final PriorityQueue<Event> events = new PriorityQueue<>((a, b) -> {
        int byTime = Long.compare(a.atNanos(), b.atNanos());
        return byTime != 0 ? byTime : Long.compare(a.tie(), b.tie());
    });
    private final List<String> violations = new ArrayList<>();
    private final StringBuilder trace;
    private long nowNanos = 1_000_000_000L;
    long happened;

    World(long seed, boolean traced) {
        this.random = new SplittableRandom(seed);
        this.trace = traced ? new StringBuilder() : null;
    }

    long now() {
        return nowNanos;
    }

    void in(long delayNanos, Runnable what) {
        events.add(new Event(nowNanos + Math.max(0, delayNanos), random.nextLong(), what));
    }

    /** Runs all events up to this moment. */
    void runUntil(long untilNanos) {
        while (!events.isEmpty() && events.peek().atNanos() <= untilNanos) {
            Event next = events.poll();
            nowNanos = next.atNanos();
            happened++;
            next.what().run();
        }
        nowNanos = untilNanos;
    }

    boolean chance(double probability) {
        return random.nextDouble() < probability;
    }

    long between(long least, long most) {
        return least >= most ? least : random.nextLong(least, most + 1);
    }

    void violated(String invariant, String how) {
        if (violations.size() < 20) {
            violations.add(invariant + " at " + nowNanos / 1_000_000 + " ms: " + how);
        }
        record("VIOLATION " + invariant + " " + how);
    }

    void record(String what) {
        if (trace != null && trace.length() < 4_000_000) {
            trace.append(nowNanos / 1000).append(' ').append(what).append('\n');
        }
    }

    List<String> violations() {
        return violations;
    }

    String trace() {
        return trace == null ? "" : trace.toString();
    }
}
