package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;

/** The faults of a run: when each began, whether it acted, and when it stopped. */
final class Faults {
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

    /** Whether a fault of these kinds went on at some moment of this time, or had stopped at most so long before it. */
    boolean anyDuring(Set<String> kinds, long from, long to, long afterwards) {
        return spans.stream()
                .anyMatch(span -> kinds.contains(span.kind)
                        && span.start <= to
                        && (span.stop == Long.MAX_VALUE || from <= span.stop + afterwards));
    }

    /** How long the process stood still between two moments. */
    long pausedNanos(Set<String> kinds, int process, long from, long to) {
        long paused = 0;
        for (Span span : spans) {
            if (span.process == process && kinds.contains(span.kind)) {
                paused += Math.max(0, Math.min(to, span.stop) - Math.max(from, span.start));
            }
        }
        return paused;
    }

    /** When the last fault was over; or the given moment if there was none. */
    long lastHealed(long otherwise) {
        return spans.stream().mapToLong(Span::healed).max().orElse(otherwise);
    }
}
