package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H7: a holder is notified of its loss before it takes a step past its validity, unless its process was paused.
 *
 * <p>A process cannot see a pause between its last check and its step, so time in declared pauses does not count. A
 * check has no such excuse: after the deadline it must answer no.
 */
final class LossNoticeCheck implements Check {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final long tolerance;

    LossNoticeCheck(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.tolerance = run.expected.noticeWithinNanos();
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ENTER, Op.STEP, Op.EXIT, Op.CLIENT_WRITE, Op.CHECK);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        boolean isStep = op != Op.CHECK && (op != Op.CLIENT_WRITE || phase == Op.Phase.INVOKE);
        if (attempts.granted(attempt) < 0) {
            if (isStep && attempts.ended(attempt) < 0) {
                findings.violated(
                        Invariant.H7_NOTIFIED_IN_TIME,
                        () -> "a process continued (" + op.description + ") without a grant.",
                        attempts.invoked(attempt),
                        event);
            }
        } else if (op == Op.CHECK) {
            onCheck(event, attempt);
        } else if (isStep && attempts.notified(attempt) < 0 && attempts.releasing(attempt) < 0) {
            onStep(event, attempt, op);
        }
    }

    private void onStep(int event, int attempt, Op op) {
        long until = attempts.validUntil(attempt);
        long late = history.times[event] - until;
        if (late > tolerance && late - run.pausedNanos(event, until, history.times[event]) > tolerance) {
            findings.violated(
                    Invariant.H7_NOTIFIED_IN_TIME,
                    () -> "the holder continued (" + op.description + ") " + EventText.duration(late)
                            + " after its validity had ended at "
                            + findings.text().time(until)
                            + ", without a loss notice.",
                    attempts.granted(attempt),
                    attempts.renewing(attempt),
                    event);
        }
    }

    private void onCheck(int event, int attempt) {
        long until = attempts.validUntil(attempt);
        long late = history.a[event] - until;
        if (late > tolerance && Op.Cause.of(history.headers[event]) == Op.Cause.YES) {
            findings.violated(
                    Invariant.H7_NOTIFIED_IN_TIME,
                    () -> "a check by the holder " + EventText.duration(late) + " after its validity had ended at "
                            + findings.text().time(until) + " answered that the lease is still held.",
                    attempts.granted(attempt),
                    event);
        }
    }
}
