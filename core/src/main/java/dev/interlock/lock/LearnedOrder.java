package dev.interlock.lock;

import java.util.HashSet;
import java.util.List;
import java.util.Set;

/**
 * The orders in which lock types have been nested since this {@code Interlock} was opened.
 *
 * <p>Interlock learns them from requests that may wait while their scope already holds a lock. An <em>inversion</em>
 * means that two pieces of code nest the same locks in different orders, perhaps through a third lock. They can
 * deadlock, even if they never have. Requests that are refused because of the lock order also count, since they show
 * the other piece of code. Requests that do not wait do not count. If both locks have the same type, their keys are
 * compared.
 *
 * @param steps the observed nestings, in the order in which they were first seen
 * @param inversions the cycles among the steps, each of them once
 * @since 0.1.0
 */
public record LearnedOrder(List<Step> steps, List<Inversion> inversions) {
    /** Copies the lists. */
    public LearnedOrder {
        steps = List.copyOf(steps);
        inversions = List.copyOf(inversions);
    }

    /**
     * One observed nesting: a scope waited for one lock while it held another one.
     *
     * @param held the lock type that the scope held, or the key if both have the same type
     * @param wanted the lock type that it waited for, or the key if both have the same type
     * @param scope the name of the scope in which the nesting was first seen
     * @param at the stack trace of that request; empty if too many pairs of keys were already known
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
                text.append(" (no stack trace: too many pairs of keys)");
            }
            at.forEach(frame -> text.append("\n        at ").append(frame));
        }
    }

    /**
     * A cycle of nestings.
     *
     * @param cycle the steps; each wants what the next one holds. The first one closed the cycle
     */
    public record Inversion(List<Step> cycle) {
        /** Copies the list. */
        public Inversion {
            cycle = List.copyOf(cycle);
        }

        /** Returns what was acquired in which order, with stack traces. */
        @Override
        public String toString() {
            StringBuilder text = new StringBuilder("Locks are acquired in different orders, which can deadlock:");
            for (Step step : cycle) {
                text.append("\n    ");
                step.describe(text);
            }
            return text.append("\n    Acquire them in one request, or in one order")
                    .toString();
        }
    }

    /**
     * Asserts that all code that has run so far nests its locks in one order. Call it at the end of a test.
     *
     * @throws AssertionError if there is an inversion; its message has the stack traces of all acquisitions
     */
    public void assertNoInversions() {
        if (!inversions.isEmpty()) {
            StringBuilder text = new StringBuilder();
            inversions.forEach(inversion -> text.append(inversion).append('\n'));
            throw new AssertionError(text.toString().strip());
        }
    }

    /** Returns the graph in the DOT language, for example for {@code dot -Tsvg}. Steps of inversions are red. */
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

    /** Returns one line per step, followed by the inversions. */
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
