package dev.interlock.lock;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * In which order lock types have really been asked for, nested in one scope, since this {@code Interlock} was opened.
 *
 * <p>An inversion means that two pieces of code nest the same locks in different orders, maybe through a third one: they can wait for each other, even if they never
 * have. It is learned from requests that may wait, also from those that are refused
 * for their order, since they show the other place; a request without patience waits for nobody. Where two locks of the same type are nested, the order of their keys counts.
 *
 * @param steps what has been seen, in the order in which it was seen first
 * @param inversions the cycles among these, each reported once
 */
public record LearnedOrder(List<Step> steps, List<Inversion> inversions) {
    /** Copies the lists. */
    public LearnedOrder {
        steps = List.copyOf(steps);
        inversions = List.copyOf(inversions);
    }

    /**
     * One was waited for while the other was held.
     *
     * @param held a lock type, or a key if both are of the same type
     * @param wanted likewise
     * @param scope the scope in which it was seen first
     * @param at where it was seen first; empty for pairs of keys once many of them are known
     */
    public record Step(String held, String wanted, String scope, List<StackTraceElement> at) {
        /** Copies the list. */
        public Step {
            at = List.copyOf(at);
        }

        private void describe(StringBuilder text) {
            text.append('"')
                    .append(wanted)
                    .append("\" while holding \"")
                    .append(held)
                    .append("\", by ")
                    .append(scope);
            if (at.isEmpty()) {
                text.append(" (where is not known: too many pairs of keys)");
            }
            at.forEach(frame -> text.append("\n        at ").append(frame));
        }
    }

    /**
     * A cycle of steps.
     *
     * @param cycle each step wants what the next one holds; the first is the one that closed the cycle
     */
    public record Inversion(List<Step> cycle) {
        /** Copies the list. */
        public Inversion {
            cycle = List.copyOf(cycle);
        }

        /** What was taken in which order, and where. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("Locks are taken in different orders, which can deadlock:");
            for (Step step : cycle) {
                text.append("\n    ");
                step.describe(text);
            }
            return text.append("\n    Take them in one request, or in one order")
                    .toString();
        }
    }

    /**
     * For tests: what they have run takes its locks in one order.
     *
     * @throws AssertionError if there is an inversion, with the places of all its acquisitions
     */
    public void assertNoInversions() {
        if (!inversions.isEmpty()) {
            StringBuilder text = new StringBuilder();
            inversions.forEach(inversion -> text.append(inversion).append('\n'));
            throw new AssertionError(text.toString().strip());
        }
    }

    /** The graph in the DOT language, for example for {@code dot -Tsvg}; steps of inversions are red. */
    public String toDot() {
        Set<Step> inverted = new HashSet<>();
        inversions.forEach(inversion -> inverted.addAll(inversion.cycle()));
        StringBuilder dot = new StringBuilder("digraph order {\n  node [shape=box];\n");
        for (Step step : steps) {
            dot.append("  ")
                    .append(LockNames.quoted(step.held()))
                    .append(" -> ")
                    .append(LockNames.quoted(step.wanted()))
                    .append(inverted.contains(step) ? " [color=red];\n" : ";\n");
        }
        return dot.append("}\n").toString();
    }

    /** One line per step, then the inversions. */
    @Override
    public String toString() {
        StringBuilder text = new StringBuilder();
        for (Step step : steps) {
            text.append(step.held()).append(" -> ").append(step.wanted()).append('\n');
        }
        inversions.forEach(inversion -> text.append(inversion).append('\n'));
        return text.toString();
    }
}
