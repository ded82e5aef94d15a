package dev.interlock.testkit.history;

import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Comparator;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.function.Supplier;

/**
 * The results of the checks: violations, breaks that the run expects, and what the clocks cannot decide.
 *
 * <p>Everything is counted. The first few violations of each invariant are explained.
 */
final class Findings {
    private static final long MAX_EXPLAINED = 3;

    private final Run run;
    private final EventText text;
    private final Map<Invariant, Long> counts = new EnumMap<>(Invariant.class);
    private final List<Violation> violations = new ArrayList<>();
    private final Map<Figure, Long> figures = new EnumMap<>(Figure.class);

    Findings(Run run) {
        this.run = run;
        this.text = new EventText(run);
        for (Figure counted : List.of(
                Figure.EXPECTED_BREAKS,
                Figure.EXPECTED_BREAK_MAX,
                Figure.EXPECTED_FENCE_BREAKS,
                Figure.OVERLAP_MAX,
                Figure.UNDECIDABLE)) {
            figures.put(counted, 0L);
        }
    }

    /** Reports a certain violation that no fault excuses. */
    void violated(Invariant invariant, Supplier<String> sentence, int... events) {
        if (counts.merge(invariant, 1L, Long::sum) <= MAX_EXPLAINED) {
            violations.add(new Violation(invariant, sentence.get(), proven(events), lines(events)));
        }
    }

    /** Reports a break of the order of tokens or effects. Only the declared clock-bounded case excuses it. */
    void fenceBroken(Invariant invariant, long time, Supplier<String> sentence, int... events) {
        if (run.allowsFallenTokens(time)) {
            figures.merge(Figure.EXPECTED_FENCE_BREAKS, 1L, Long::sum);
        } else {
            violated(invariant, sentence, events);
        }
    }

    /** Reports a break of exclusivity in an interval. The fault model of the run may allow it. */
    void exclusivityBroken(Invariant invariant, long from, long to, Supplier<String> sentence, int... events) {
        if (run.allowsOverlap(from, to)) {
            figures.merge(Figure.EXPECTED_BREAKS, 1L, Long::sum);
            figures.merge(Figure.EXPECTED_BREAK_MAX, to - from, Math::max);
        } else {
            figures.merge(Figure.OVERLAP_MAX, to - from, Math::max);
            violated(invariant, sentence, events);
        }
    }

    void undecidable() {
        figures.merge(Figure.UNDECIDABLE, 1L, Long::sum);
    }

    void put(Figure figure, long value) {
        figures.put(figure, value);
    }

    Verdict verdict(List<String> voidReasons) {
        violations.sort(Comparator.comparing(Violation::invariant));
        return new Verdict(violations, counts, voidReasons, figures);
    }

    EventText text() {
        return text;
    }

    private Duration proven(int... events) {
        long last = Arrays.stream(events)
                .filter(event -> event >= 0)
                .mapToLong(event -> run.history.times[event])
                .max()
                .orElse(run.lastNanos);
        return Duration.ofNanos(last - run.firstNanos);
    }

    private List<String> lines(int... events) {
        return Arrays.stream(events)
                .filter(event -> event >= 0)
                .distinct()
                .boxed()
                .sorted(Comparator.comparingLong(event -> run.history.times[event]))
                .map(text::line)
                .toList();
    }
}
