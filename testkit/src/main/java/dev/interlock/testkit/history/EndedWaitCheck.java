package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H6: an attempt whose wait has ended is not granted, entered, renewed or used for writes, and holds nothing at rest.
 */
final class EndedWaitCheck implements Check {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final Ints heldAtRest = new Ints();
    private final Ints reported = new Ints();
    private final Ints endings = new Ints();

    EndedWaitCheck(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ACQUIRE, Op.RENEW, Op.ENTER, Op.STEP, Op.REENTER, Op.CLIENT_WRITE, Op.AT_REST);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        if (op == Op.AT_REST) {
            if (Op.Cause.of(history.headers[event]) == Op.Cause.YES) {
                heldAtRest.add(event);
            }
            return;
        }
        if (op == Op.ACQUIRE && phase == Op.Phase.FAIL) {
            endings.add(event);
        }
        int ended = attempts.ended(attempt);
        if (ended >= 0 && isUse(op, phase) && reported.get(attempt) == 0) {
            reported.set(attempt, 1);
            findings.violated(
                    Invariant.H6_NO_LATE_GRANT,
                    () -> "the wait of an attempt had ended, and then the attempt was "
                            + (op == Op.ACQUIRE ? "granted." : "used: " + op.description + "."),
                    ended,
                    event);
        }
    }

    private static boolean isUse(Op op, Op.Phase phase) {
        return switch (op) {
            case ACQUIRE, RENEW -> phase == Op.Phase.OK;
            case CLIENT_WRITE -> phase == Op.Phase.INVOKE;
            default -> true;
        };
    }

    @Override
    public void end() {
        for (int i = 0; i < heldAtRest.size(); i++) {
            findOrphan(heldAtRest.get(i));
        }
    }

    /** Only if no attempt of this owner explains the hold: an owner may have requested the key many times. */
    private void findOrphan(int held) {
        int orphan = -1;
        for (int i = 0; i < endings.size(); i++) {
            int ended = endings.get(i);
            if (isOfSameOwner(ended, held) && run.isRest(history.times[ended], history.times[held])) {
                orphan = ended;
            }
        }
        int owned = orphan;
        if (orphan >= 0 && !attempts.wasGranted(held) && !mayBeGranted(held)) {
            findings.violated(
                    Invariant.H6_NO_LATE_GRANT,
                    () -> "the wait of an attempt had ended, but its owner holds the key at rest.",
                    owned,
                    held);
        }
    }

    /** A killed process leaves requests with an unknown outcome. */
    private boolean mayBeGranted(int held) {
        for (int attempt = 0; attempt < attempts.size(); attempt++) {
            int invoked = attempts.invoked(attempt);
            boolean open = invoked >= 0 && attempts.granted(attempt) < 0 && attempts.ended(attempt) < 0;
            if (open && isOfSameOwner(invoked, held)) {
                return true;
            }
        }
        return false;
    }

    private boolean isOfSameOwner(int asked, int held) {
        return history.owners[asked] == history.owners[held] && run.key(asked) == run.key(held);
    }
}
