package dev.interlock.testkit.history;

import java.util.Set;

/** H9: re-entry keeps the token of the grant, and the depth changes by one and is never negative. */
final class ReentryCheck implements Check {
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    // Open re-entries by attempt: depth - 1.
    private final Ints reentries = new Ints();

    ReentryCheck(Run run, Findings findings, AttemptStates attempts) {
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.REENTER, Op.LEAVE);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        int granted = attempts.granted(attempt);
        if (granted < 0) {
            return;
        }
        int depth = reentries.get(attempt) + 1 + (op == Op.REENTER ? 1 : -1);
        reentries.set(attempt, depth - 1);
        if (op == Op.REENTER && history.tokens[event] != history.tokens[granted]) {
            findings.violated(
                    Invariant.H9_REENTRANCY,
                    () -> "a re-entry has token " + history.tokens[event] + ", but the hold has token "
                            + history.tokens[granted] + ".",
                    granted,
                    event);
        } else if (depth < 0 || history.b[event] != depth) {
            findings.violated(
                    Invariant.H9_REENTRANCY,
                    () -> "the recorded depth is " + history.b[event] + ", but the entries add up to " + depth + ".",
                    granted,
                    event);
        }
    }
}
