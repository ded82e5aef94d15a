package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The faults of a run in the order in which they began, whether each acted, and when it stopped. */
final class FaultSpans {
    static final int ALL_PROCESSES = -1;

    /** One fault. A fault that was never stopped lasts until the end. */
    static final class Span {
        final String kind;
        final long process;
        final long start;
        long stop = Long.MAX_VALUE;
        boolean acted;

        Span(String kind, long process, long start) {
            this.kind = kind;
            this.process = process;
            this.start = start;
        }

        boolean isAimedAt(int number) {
            return process == number || process == ALL_PROCESSES;
        }

        long lastingUntil(long afterwards) {
            return stop == Long.MAX_VALUE ? stop : stop + afterwards;
        }

        /** When recovery could start. For a fault that never stopped, this is its start. */
        long healed() {
            return stop == Long.MAX_VALUE ? start : stop;
        }
    }

    private final Map<Long, Span> byId = new HashMap<>();
    private final List<Span> spans = new ArrayList<>();

    /** Applies an event of a fault. */
    void onEvent(History history, int event) {
        long id = history.attempts[event];
        long time = history.times[event];
        if (Op.Phase.of(history.headers[event]) == Op.Phase.INVOKE) {
            Span span = new Span(history.name(Op.name(history.headers[event])), history.a[event], time);
            byId.put(id, span);
            spans.add(span);
            return;
        }
        Span span = byId.get(id);
        if (span != null && Op.Phase.of(history.headers[event]) == Op.Phase.POINT) {
            span.acted = true;
        } else if (span != null) {
            span.stop = time;
        }
    }

    List<Span> all() {
        return spans;
    }

    /** Returns whether a fault of these kinds had begun by this time. */
    boolean anyBefore(Set<String> kinds, long time) {
        return spans.stream().anyMatch(span -> kinds.contains(span.kind) && span.start <= time);
    }

    /**
     * Returns whether faults of these kinds, each extended by some time before and after it, cover the whole interval.
     * Anything outside has another cause.
     */
    boolean cover(Set<String> kinds, long from, long to, long before, long afterwards) {
        long reached = from;
        boolean begun = false;
        for (Span span : spans) {
            long end = span.lastingUntil(afterwards + before);
            if (kinds.contains(span.kind) && span.start - before <= reached && end >= from) {
                begun = true;
                reached = Math.max(reached, end);
            }
        }
        return begun && reached >= to;
    }

    /** Returns how long the process was paused in the interval. Overlapping pauses count once. */
    long pausedNanos(Set<String> kinds, int process, long from, long to) {
        long paused = 0;
        long counted = from;
        for (Span span : spans) {
            if (span.isAimedAt(process) && kinds.contains(span.kind)) {
                long end = Math.min(to, span.stop);
                paused += Math.max(0, end - Math.max(counted, span.start));
                counted = Math.max(counted, end);
            }
        }
        return paused;
    }

    /** When the last fault was over, or the given moment if there was none. */
    long lastHealed(long otherwise) {
        return spans.stream().mapToLong(Span::healed).max().orElse(otherwise);
    }
}
