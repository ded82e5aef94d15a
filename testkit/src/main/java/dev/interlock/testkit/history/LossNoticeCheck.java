package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H7: a holder is told of its loss before it takes a step past its validity, unless its process stood still.
 *
 * <p>A pause between the last check and the step cannot be seen by anybody inside, so time in declared pauses does not count.
 * A check has no such excuse: who asks after the deadline must hear no.
 */
final class LossNoticeCheck implements Check {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final Attempts attempts;
    private final long tolerance;

    LossNoticeCheck(Run run, Findings findings, Attempts attempts) {
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
    public void see(int event, int attempt, Op op, Op.Phase phase) {
        boolean isStep = op != Op.CHECK && (op != Op.CLIENT_WRITE || phase == Op.Phase.INVOKE);
        if (attempts.granted(attempt) < 0) {
            if (isStep && attempts.ended(attempt) < 0) {
                findings.violated(
                        Invariant.H7_TOLD_IN_TIME,
                        () -> "somebody went on (" + op.words + ") without a grant.",
                        attempts.invoked(attempt),
                        event);
            }
        } else if (op == Op.CHECK) {
            seeCheck(event, attempt);
        } else if (isStep && attempts.told(attempt) < 0 && attempts.releasing(attempt) < 0) {
            seeStep(event, attempt, op);
        }
    }

    private void seeStep(int event, int attempt, Op op) {
        long until = attempts.validUntil(attempt);
        long late = history.times[event] - until;
        if (late > tolerance && late - run.pausedNanos(event, until, history.times[event]) > tolerance) {
            findings.violated(
                    Invariant.H7_TOLD_IN_TIME,
                    () -> "the holder went on (" + op.words + ") " + EventText.duration(late)
                            + " after its validity had ended at "
                            + findings.text().time(until)
                            + ", and nobody had told it.",
                    attempts.granted(attempt),
                    attempts.renewing(attempt),
                    event);
        }
    }

    private void seeCheck(int event, int attempt) {
        long until = attempts.validUntil(attempt);
        long late = history.a[event] - until;
        if (late > tolerance && Op.Cause.of(history.headers[event]) == Op.Cause.YES) {
            findings.violated(
                    Invariant.H7_TOLD_IN_TIME,
                    () -> "the holder asked " + EventText.duration(late) + " after its validity had ended at "
                            + findings.text().time(until) + ", and heard that it still holds.",
                    attempts.granted(attempt),
                    event);
        }
    }
}
