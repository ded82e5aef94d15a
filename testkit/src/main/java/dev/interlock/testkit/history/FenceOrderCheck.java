package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H1: if a grant was complete before another one was requested, its token is smaller; and no token has two owners.
 *
 * <p>Each request remembers the highest token that was complete when the request was made. So one pass is enough,
 * whatever overlaps.
 */
final class FenceOrderCheck implements Check {
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final NewestGrants newest;
    private final EventTable byToken;
    // Event + 1, by attempt.
    private final Ints floor = new Ints();
    private final Ints possibleFloor = new Ints();

    FenceOrderCheck(Run run, Findings findings, AttemptStates attempts, NewestGrants newest) {
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.newest = newest;
        this.byToken = new EventTable(history, history.tokens);
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ACQUIRE, Op.LATE_GRANT);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        if (phase == Op.Phase.INVOKE) {
            int key = Op.name(history.headers[event]);
            floor.set(attempt, newest.certain(event) + 1);
            possibleFloor.set(attempt, newest.possible(key) + 1);
        } else if ((phase == Op.Phase.OK || op == Op.LATE_GRANT) && !isRepeated(event, attempt)) {
            granted(event, attempt);
        }
    }

    /** After an unknown outcome, the same grant may be reported again. */
    private boolean isRepeated(int event, int attempt) {
        int before = attempts.granted(attempt);
        return before >= 0 && history.tokens[before] == history.tokens[event];
    }

    private void granted(int event, int attempt) {
        int before = floor.get(attempt) - 1;
        int twin = byToken.putIfAbsent(event);
        if (before >= 0 && history.tokens[before] >= history.tokens[event]) {
            findings.fenceBroken(
                    Invariant.H1_FENCE_ORDER,
                    history.times[event],
                    () -> "token " + history.tokens[event] + " was granted after token " + history.tokens[before]
                            + ", which was complete before the later one was requested.",
                    before,
                    attempts.invoked(attempt),
                    event);
        } else if (twin >= 0 && history.owners[twin] != history.owners[event]) {
            findings.fenceBroken(
                    Invariant.H1_FENCE_ORDER,
                    history.times[event],
                    () -> "token " + history.tokens[event] + " was granted to two owners.",
                    twin,
                    event);
        } else if (possibleFloor.get(attempt) > 0
                && history.tokens[possibleFloor.get(attempt) - 1] > history.tokens[event]
                && possibleFloor.get(attempt) != floor.get(attempt)) {
            findings.undecidable();
        }
    }
}
