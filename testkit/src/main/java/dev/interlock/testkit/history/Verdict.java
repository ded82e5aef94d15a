package dev.interlock.testkit.history;

import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;

/**
 * What a history proves: that nothing was broken, that something was, or nothing at all.
 *
 * <p>A violation counts even in a run that would be void: what is certain stays certain without load. Immutable.
 */
public final class Verdict {
    /** The three results. */
    public enum Outcome {
        /** Every promise was kept, and the run was hard enough to say so. */
        CLEAN,
        /** A promise was broken for certain. */
        VIOLATED,
        /** Neither: the run did not do what makes it count. */
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

    /** The first violations of each invariant, explained; {@link #count} knows how many there are. */
    public List<Violation> violations() {
        return violations;
    }

    /** How often this was broken. */
    public long count(Invariant invariant) {
        return counts.getOrDefault(invariant, 0L);
    }

    /** Why the run proves nothing; empty if it does. */
    public List<String> voidReasons() {
        return voidReasons;
    }

    /** One number of the page; -1 if the run has nothing to measure it by. */
    public long figure(Figure figure) {
        return figures.getOrDefault(figure, -1L);
    }

    /** One page for people: the outcome, the figures, and what was broken. */
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

    /** Throws an error with the whole page unless the verdict is clean; a void run proves nothing and fails too. */
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
