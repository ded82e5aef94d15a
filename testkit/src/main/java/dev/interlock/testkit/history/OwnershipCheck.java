package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H5: renewal and release succeed only for the current owner.
 *
 * <p>If another owner was granted the key with a larger token before the request, the requester is a former owner.
 * Permits have many owners and are not checked.
 */
final class OwnershipCheck implements Check {
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final NewestGrants newest;
    // By request: the event that made it and the newest grant at that time, each + 1.
    private final LongTable requests = new LongTable(1024);
    private final Ints asked = new Ints();
    private final Ints rivals = new Ints();

    OwnershipCheck(Run run, Findings findings, AttemptStates attempts, NewestGrants newest) {
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
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        if (Op.mode(history.headers[event]) == Op.PERMITS) {
            return;
        }
        int request = requests.add((long) attempt << 32 | numberOf(event, op));
        if (phase == Op.Phase.INVOKE && asked.get(request) == 0) {
            asked.set(request, event + 1);
            rivals.set(request, rival(event) + 1);
        } else if (phase == Op.Phase.OK && asked.get(request) != 0) {
            compare(event, attempt, op, request);
        }
    }

    /**
     * Renewals are numbered from 1. A repeated release is the same request, because the answer may belong to the first
     * one.
     */
    private long numberOf(int event, Op op) {
        return op == Op.RENEW ? history.c[event] : 0;
    }

    /** A shared holder stays one when another holder joins; an exclusive one does not. */
    private int rival(int event) {
        int key = Op.name(history.headers[event]);
        return Op.mode(history.headers[event]) == Op.SHARED ? newest.certainExclusive(key) : newest.certain(event);
    }

    private void compare(int event, int attempt, Op op, int request) {
        int ask = asked.get(request) - 1;
        int rival = rivals.get(request) - 1;
        int released = attempts.released(attempt);
        // By token, not by owner: an owner that lost the key and acquired it again must not affect the newer hold.
        if (rival >= 0 && history.tokens[rival] > history.tokens[event]) {
            findings.exclusivityBroken(
                    Invariant.H5_OWNERSHIP,
                    history.times[event],
                    history.times[event],
                    () -> "a former owner could " + op.description + " after the key had been granted again.",
                    rival,
                    ask,
                    event);
        } else if (op == Op.RENEW && released >= 0 && history.times[released] < history.times[ask]) {
            findings.violated(
                    Invariant.H5_OWNERSHIP,
                    () -> "a lease was renewed after it had been released.",
                    released,
                    ask,
                    event);
        }
    }
}
