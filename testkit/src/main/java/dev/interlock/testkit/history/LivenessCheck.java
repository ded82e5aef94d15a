package dev.interlock.testkit.history;

import java.util.Arrays;
import java.util.Set;

/**
 * H8: after the last fault a key that is requested and free is granted in time, and nothing is held at rest.
 *
 * <p>Anything that may explain a closed key counts as held: a granted validity, a grant or a renewal whose answer was
 * lost, a late grant. A key is wanted from the first request since its last grant. Requests that are further apart than
 * the longest lease do not form one demand, and cancelled requests form none.
 */
final class LivenessCheck implements Check {
    private static final long NEVER = Long.MIN_VALUE / 4;

    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final long healed;
    // By key.
    private final long[] heldUntil;
    private final long[] maybeHeldUntil;
    private final long[] wantedSince;
    private final long[] wantedLast;
    private final int[] lastGrant;
    // 1 by attempt once there was any answer.
    private final Ints answered = new Ints();
    private long stuck;

    LivenessCheck(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.healed = run.healedNanos();
        int keys = history.nameCount();
        this.heldUntil = never(keys);
        this.maybeHeldUntil = never(keys);
        this.wantedSince = never(keys);
        this.wantedLast = never(keys);
        this.lastGrant = new int[keys];
    }

    private static long[] never(int keys) {
        long[] times = new long[keys];
        Arrays.fill(times, NEVER);
        return times;
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ACQUIRE, Op.RENEW, Op.RELEASE, Op.LATE_GRANT, Op.AT_REST);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        int key = run.key(event);
        long now = history.times[event];
        switch (op) {
            case ACQUIRE -> onAcquire(event, attempt, phase);
            case RENEW -> {
                if (mayRenew(attempt, event)) {
                    markClosedUntil(key, Math.max(now + leaseOf(attempt), history.a[event]));
                }
            }
            case LATE_GRANT -> markMaybeClosedUntil(key, now + history.b[event]);
            case RELEASE -> {
                // The next owner may learn of its grant before the former one learns of its release.
                if (phase == Op.Phase.OK && isLastExclusive(event, attempt)) {
                    heldUntil[key] = now;
                }
            }
            default -> onAtRest(event);
        }
    }

    private void onAcquire(int event, int attempt, Op.Phase phase) {
        int key = run.key(event);
        long now = history.times[event];
        if (attempts.granted(attempt) >= 0) {
            // A repeated answer for the same grant.
            return;
        }
        answered.set(attempt, phase == Op.Phase.INVOKE ? 0 : 1);
        switch (phase) {
            case INVOKE -> {
                if (wantedSince[key] == NEVER || now - wantedLast[key] > run.longestLeaseNanos()) {
                    wantedSince[key] = now;
                }
            }
            case OK -> {
                checkWait(event, attempt);
                wantedSince[key] = NEVER;
                markClosedUntil(key, history.a[event]);
                lastGrant[key] = event + 1;
            }
            case UNKNOWN -> markMaybeClosedUntil(key, now + history.b[event]);
            default -> {
                if (isGivenUp(event)) {
                    wantedSince[key] = NEVER;
                } else {
                    checkWait(event, attempt);
                }
            }
        }
        wantedLast[key] = now;
    }

    /** A cancelled request was not kept waiting and shows no demand. */
    private boolean isGivenUp(int event) {
        Op.Cause cause = Op.Cause.of(history.headers[event]);
        return cause == Op.Cause.CANCELLED || cause == Op.Cause.INTERRUPTED || cause == Op.Cause.CLOSED;
    }

    /**
     * A renewal is allowed only before the end of the hold and before its loss is known, so a later one explains
     * nothing.
     */
    private boolean mayRenew(int attempt, int event) {
        int notified = attempts.notified(attempt);
        int asked = Op.Phase.of(history.headers[event]) == Op.Phase.INVOKE ? event : attempts.renewing(attempt);
        return attempts.ended(attempt) < 0
                && attempts.releasing(attempt) < 0
                && (notified < 0 || asked < 0 || history.times[asked] <= history.times[notified]);
    }

    private boolean isLastExclusive(int event, int attempt) {
        return Op.mode(history.headers[event]) == Op.EXCLUSIVE
                && lastGrant[run.key(event)] == attempts.granted(attempt) + 1;
    }

    private void markClosedUntil(int key, long until) {
        heldUntil[key] = Math.max(heldUntil[key], until);
    }

    /** Held by another owner than the last holder, so that a release by the last holder changes nothing. */
    private void markMaybeClosedUntil(int key, long until) {
        maybeHeldUntil[key] = Math.max(maybeHeldUntil[key], until);
    }

    private long leaseOf(int attempt) {
        int granted = attempts.granted(attempt);
        return granted < 0 ? run.longestLeaseNanos() : history.b[granted];
    }

    private void checkWait(int event, int attempt) {
        int invoked = attempts.invoked(attempt);
        if (invoked >= 0) {
            int key = run.key(event);
            long asked = history.times[invoked];
            long since = wantedSince[key] == NEVER ? asked : Math.min(asked, wantedSince[key]);
            checkWait(event, invoked, since, history.times[event]);
        }
    }

    private void checkWait(int event, int invoked, long since, long until) {
        int key = run.key(event);
        long waited = until - Math.max(since, freeSince(key));
        if (waited > run.grantWithinNanos() + run.boundNanos()) {
            findings.violated(
                    Invariant.H8_LIVENESS,
                    () -> run.keyName(event) + " was requested and free for " + EventText.duration(waited)
                            + " without an active fault, but the bound is "
                            + EventText.duration(run.grantWithinNanos()) + ".",
                    lastGrant[key] - 1,
                    invoked,
                    event);
        }
    }

    /** The moment after which everything that may have closed the key, and the last fault, was over. */
    private long freeSince(int key) {
        return Math.max(Math.max(heldUntil[key], maybeHeldUntil[key]), healed);
    }

    private void onAtRest(int event) {
        if (Op.Cause.of(history.headers[event]) != Op.Cause.YES) {
            return;
        }
        int key = run.key(event);
        long quiet = history.times[event] - freeSince(key);
        if (run.isRest(freeSince(key), history.times[event])) {
            stuck++;
            findings.violated(
                    Invariant.H8_LIVENESS,
                    () -> run.keyName(event) + " is still held at rest, " + EventText.duration(quiet)
                            + " after the last event that could explain it.",
                    lastGrant[key] - 1,
                    event);
        }
    }

    @Override
    public void end() {
        for (int attempt = 0; attempt < attempts.size(); attempt++) {
            int invoked = attempts.invoked(attempt);
            if (invoked >= 0 && answered.get(attempt) == 0) {
                // The request waits as long as its process is known to live.
                checkWait(invoked, invoked, history.times[invoked], run.lastOfProcess(invoked));
            }
        }
        findings.put(Figure.STUCK_AT_REST, stuck);
    }
}
