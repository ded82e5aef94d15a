package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The faults of a run in the order in which they began, whether each acted, and when it stopped. */
final class Faults {
    static final int EVERYTHING = -1;

    /** One fault; one that was never stopped lasts for ever. */
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
            return process == number || process == EVERYTHING;
        }

        long lastingUntil(long afterwards) {
            return stop == Long.MAX_VALUE ? stop : stop + afterwards;
        }

        /** When the world could start to heal: a fault that lasts for ever is over once it has begun. */
        long healed() {
            return stop == Long.MAX_VALUE ? start : stop;
        }
    }

    private final Map<Long, Span> byId = new HashMap<>();
    private final List<Span> spans = new ArrayList<>();

    /** Takes in an event of a fault. */
    void see(History history, int event) {
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

    /** Whether a fault of these kinds had begun by then. */
    boolean anyBefore(Set<String> kinds, long time) {
        return spans.stream().anyMatch(span -> kinds.contains(span.kind) && span.start <= time);
    }

    /**
     * Whether faults of these kinds, each with some time before and afterwards, cover all of this time: what began before
     * them or goes on after them has another cause.
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

    /** How long the process stood still between two moments; pauses at the same time count once. */
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

    /** When the last fault was over; or the given moment if there was none. */
    long lastHealed(long otherwise) {
        return spans.stream().mapToLong(Span::healed).max().orElse(otherwise);
    }
}
