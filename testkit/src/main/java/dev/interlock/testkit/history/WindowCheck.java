package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H2: the windows in which owners certainly hold do not overlap if their modes exclude each other.
 *
 * <p>A window lasts from the answer to the end of the granted validity, or to the release or the loss notice if that is
 * earlier. A renewal that is answered in time moves the end. One that is answered later begins a new window.
 */
final class WindowCheck implements Check {
    private static final int NONE = -1;

    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final Ints grants = new Ints();
    private final Longs starts = new Longs();
    private final Longs ends = new Longs();
    // Window + 1, by attempt.
    private final Ints open = new Ints();

    WindowCheck(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ACQUIRE, Op.RENEW, Op.RELEASE, Op.LOST, Op.CHECK);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        switch (op) {
            case ACQUIRE -> {
                if (phase == Op.Phase.OK) {
                    held(event, attempt, event);
                }
            }
            case RENEW -> {
                if (phase == Op.Phase.OK && attempts.granted(attempt) >= 0) {
                    held(event, attempt, attempts.granted(attempt));
                } else if (phase == Op.Phase.FAIL) {
                    close(event, attempt);
                }
            }
            case CHECK -> {
                if (Op.Cause.of(history.headers[event]) == Op.Cause.NO) {
                    close(event, attempt);
                }
            }
            default -> close(event, attempt);
        }
    }

    private void held(int event, int attempt, int grant) {
        long now = history.times[event];
        long until = attempts.validAfter(event, attempt);
        if (until <= now || attempts.notified(attempt) >= 0 || attempts.releasing(attempt) >= 0) {
            return;
        }
        int window = open.get(attempt) - 1;
        if (window != NONE && now <= ends.get(window)) {
            ends.set(window, until);
            return;
        }
        open.set(attempt, grants.size() + 1);
        grants.add(grant);
        starts.add(now);
        ends.add(until);
    }

    private void close(int event, int attempt) {
        int window = open.get(attempt) - 1;
        if (window != NONE) {
            ends.set(window, Math.min(ends.get(window), history.times[event]));
            open.set(attempt, 0);
        }
    }

    /** Windows were opened in the order of their start, so one more pass over them finds every overlap. */
    @Override
    public void end() {
        WindowSweep sweep = new WindowSweep(run, findings, grants, starts, ends);
        for (int window = 0; window < grants.size(); window++) {
            sweep.next(window);
        }
    }
}
