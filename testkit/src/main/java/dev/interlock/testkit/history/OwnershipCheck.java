package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H5: renewal and release succeed only for the current owner.
 *
 * <p>Who was granted the key with a larger token, before this was asked, is the owner or was it later. Permits have many
 * owners and are left out.
 */
final class OwnershipCheck implements Check {
    private final History history;
    private final Findings findings;
    private final Attempts attempts;
    private final NewestGrants newest;
    // Event + 1, by attempt: the newest grant when renewal or release was asked for.
    private final Ints rivalOfRenewal = new Ints();
    private final Ints rivalOfRelease = new Ints();

    OwnershipCheck(Run run, Findings findings, Attempts attempts, NewestGrants newest) {
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.newest = newest;
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.RENEW, Op.RELEASE);
    }

    @Override
    public void see(int event, int attempt, Op op, Op.Phase phase) {
        if (Op.mode(history.headers[event]) == Op.PERMITS) {
            return;
        }
        Ints rivals = op == Op.RENEW ? rivalOfRenewal : rivalOfRelease;
        if (phase == Op.Phase.INVOKE) {
            rivals.set(attempt, rival(event) + 1);
        } else if (phase == Op.Phase.OK) {
            compare(event, attempt, op, rivals.get(attempt) - 1);
        }
    }

    /** A shared holder is still one after another has come; an exclusive one is not. */
    private int rival(int event) {
        int key = Op.name(history.headers[event]);
        return Op.mode(history.headers[event]) == Op.SHARED ? newest.certainExclusive(key) : newest.certain(key);
    }

    private void compare(int event, int attempt, Op op, int rival) {
        int asked = op == Op.RENEW ? attempts.renewing(attempt) : attempts.releasing(attempt);
        int released = attempts.released(attempt);
        if (op == Op.RENEW && (asked < 0 || history.c[asked] != history.c[event])) {
            // The answer to an older question proves nothing about the time of the newer one.
            return;
        }
        if (rival >= 0
                && history.tokens[rival] > history.tokens[event]
                && history.owners[rival] != history.owners[event]) {
            findings.exclusivityBroken(
                    Invariant.H5_OWNERSHIP,
                    history.times[event],
                    history.times[event],
                    () -> "a former owner could " + op.words + " after somebody else had been granted the key.",
                    rival,
                    asked,
                    event);
        } else if (op == Op.RENEW && released >= 0 && history.times[released] < history.times[asked]) {
            findings.violated(
                    Invariant.H5_OWNERSHIP, () -> "it was renewed after it had been released.", released, asked, event);
        }
    }
}
