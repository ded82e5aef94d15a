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
    // By question: the event that asked it and the newest grant then, each + 1.
    private final LongTable questions = new LongTable(1024);
    private final Ints asked = new Ints();
    private final Ints rivals = new Ints();

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
        int question = questions.add((long) attempt << 32 | numberOf(event, op));
        if (phase == Op.Phase.INVOKE && asked.get(question) == 0) {
            asked.set(question, event + 1);
            rivals.set(question, rival(event) + 1);
        } else if (phase == Op.Phase.OK && asked.get(question) != 0) {
            compare(event, attempt, op, question);
        }
    }

    /** Renewals count from 1. A release that is asked for again is the same question: the first may be what is answered. */
    private long numberOf(int event, Op op) {
        return op == Op.RENEW ? history.c[event] : 0;
    }

    /** A shared holder is still one after another has come; an exclusive one is not. */
    private int rival(int event) {
        int key = Op.name(history.headers[event]);
        return Op.mode(history.headers[event]) == Op.SHARED ? newest.certainExclusive(key) : newest.certain(event);
    }

    private void compare(int event, int attempt, Op op, int question) {
        int ask = asked.get(question) - 1;
        int rival = rivals.get(question) - 1;
        int released = attempts.released(attempt);
        // By token and not by owner: an owner that lost the key and won it again must not touch the newer hold.
        if (rival >= 0 && history.tokens[rival] > history.tokens[event]) {
            findings.exclusivityBroken(
                    Invariant.H5_OWNERSHIP,
                    history.times[event],
                    history.times[event],
                    () -> "a former owner could " + op.words + " after the key had been granted again.",
                    rival,
                    ask,
                    event);
        } else if (op == Op.RENEW && released >= 0 && history.times[released] < history.times[ask]) {
            findings.violated(
                    Invariant.H5_OWNERSHIP, () -> "it was renewed after it had been released.", released, ask, event);
        }
    }
}
