package dev.interlock.testkit.history;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a history proves: that every promise was kept, that one was broken, or nothing.
 *
 * <p>A violation counts even in a run that would be void: certain facts stay certain without load. Immutable.
 *
 * @since 0.1.0
 */
public final class Verdict {
    /** The three possible outcomes. */
    public enum Outcome {
        /** Every promise was kept, and the run was demanding enough to show it. */
        CLEAN,
        /** A promise was certainly broken. */
        VIOLATED,
        /** Neither: the run did not meet the conditions that make it valid. */
        VOID
    }

    private final List<Violation> violations;
    private final Map<Invariant, Long> counts;
    private final List<String> voidReasons;
    private final Map<Figure, Long> figures;

    Verdict(
            List<Violation> violations,
            Map<Invariant, Long> counts,
            List<String> voidReasons,
            Map<Figure, Long> figures) {
        this.violations = List.copyOf(violations);
        this.counts = new EnumMap<>(counts);
        this.voidReasons = List.copyOf(voidReasons);
        this.figures = new EnumMap<>(figures);
    }

    /** Clean, violated or void. */
    public Outcome outcome() {
        if (!violations.isEmpty()) {
            return Outcome.VIOLATED;
        }
        return voidReasons.isEmpty() ? Outcome.CLEAN : Outcome.VOID;
    }

    /** The first violations of each invariant, with explanations. {@link #count} returns their total number. */
    public List<Violation> violations() {
        return violations;
    }

    /** Returns how often this invariant was violated. */
    public long count(Invariant invariant) {
        return counts.getOrDefault(invariant, 0L);
    }

    /** Returns why the run proves nothing, or an empty list if it is valid. */
    public List<String> voidReasons() {
        return voidReasons;
    }

    /** Returns one number of the report, or -1 if the run has nothing to measure it by. */
    public long figure(Figure figure) {
        return figures.getOrDefault(figure, -1L);
    }

    /** Returns the report as text: the outcome, the figures and the violations. */
    public String page() {
        StringBuilder page = new StringBuilder("Verdict: ").append(outcome()).append('\n');
        voidReasons.forEach(reason -> page.append("  void: ").append(reason).append('\n'));
        for (Invariant invariant : Invariant.values()) {
            page.append(String.format(Locale.ROOT, "  %-36s %15s\n", invariant.title(), violationsOf(invariant)));
        }
        for (Figure figure : Figure.values()) {
            long value = figure(figure);
            page.append(String.format(
                    Locale.ROOT, "  %-36s %15s\n", figure.label(), value < 0 ? "-" : figure.format(value)));
        }
        violations.forEach(violation -> page.append(violation).append('\n'));
        return page.toString();
    }

    /** Throws an error with the whole report unless the verdict is clean. A void run proves nothing and fails too. */
    public void assertClean() {
        if (outcome() != Outcome.CLEAN) {
            throw new AssertionError(page());
        }
    }

    @Override
    public String toString() {
        return page();
    }

    private String violationsOf(Invariant invariant) {
        return count(invariant) == 0 ? "0 violations" : String.format(Locale.ROOT, "%,d VIOLATIONS", count(invariant));
    }
}
