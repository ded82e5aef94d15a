package dev.interlock.testkit.history;

import java.util.Arrays;
import java.util.Set;

/**
 * H8: after the last fault a key that is wanted and free is granted in time, and nothing is held at rest.
 *
 * <p>Whatever may explain that a key is closed counts as held: a validity that was told, a grant or a renewal whose answer was
 * lost, a grant that came late. A key is wanted from the first request since its last grant; requests that are further apart
 * than the longest lease do not make one demand.
 */
final class LivenessCheck implements Check {
    private static final long NEVER = Long.MIN_VALUE / 4;

    private final Run run;
    private final History history;
    private final Findings findings;
    private final Attempts attempts;
    private final long healed;
    // By key.
    private final long[] heldUntil;
    private final long[] wantedSince;
    private final long[] wantedLast;
    private final int[] lastGrant;
    private long stuck;

    LivenessCheck(Run run, Findings findings, Attempts attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.healed = run.healedNanos();
        int keys = history.nameCount();
        this.heldUntil = never(keys);
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
    public void see(int event, int attempt, Op op, Op.Phase phase) {
        int key = run.key(event);
        long now = history.times[event];
        switch (op) {
            case ACQUIRE -> seeAcquire(event, attempt, phase);
            case RENEW -> {
                // Nobody may renew what has ended, so that explains nothing.
                if (attempts.ended(attempt) < 0 && attempts.releasing(attempt) < 0) {
                    closedUntil(key, Math.max(now + leaseOf(attempt), history.a[event]));
                }
            }
            case LATE_GRANT -> closedUntil(key, now + history.b[event]);
            case RELEASE -> {
                // The next owner may hear of its grant before the former one hears of its release.
                if (phase == Op.Phase.OK && isLastExclusive(event, attempt)) {
                    heldUntil[key] = now;
                }
            }
            default -> seeAtRest(event);
        }
    }

    private void seeAcquire(int event, int attempt, Op.Phase phase) {
        int key = run.key(event);
        long now = history.times[event];
        switch (phase) {
            case INVOKE -> {
                if (wantedSince[key] == NEVER || now - wantedLast[key] > run.longestLeaseNanos()) {
                    wantedSince[key] = now;
                }
            }
            case OK -> {
                checkWait(event, attempt);
                wantedSince[key] = NEVER;
                closedUntil(key, history.a[event]);
                lastGrant[key] = event + 1;
            }
            case UNKNOWN -> closedUntil(key, now + history.b[event]);
            default -> checkWait(event, attempt);
        }
        wantedLast[key] = now;
    }

    private boolean isLastExclusive(int event, int attempt) {
        return Op.mode(history.headers[event]) == Op.EXCLUSIVE
                && lastGrant[run.key(event)] == attempts.granted(attempt) + 1;
    }

    private void closedUntil(int key, long until) {
        heldUntil[key] = Math.max(heldUntil[key], until);
    }

    private long leaseOf(int attempt) {
        int granted = attempts.granted(attempt);
        return granted < 0 ? run.longestLeaseNanos() : history.b[granted];
    }

    /** Only waits that ended by themselves count; who cancels was not kept waiting. */
    private void checkWait(int event, int attempt) {
        Op.Cause cause = Op.Cause.of(history.headers[event]);
        int key = run.key(event);
        int invoked = attempts.invoked(attempt);
        if (cause == Op.Cause.CANCELLED || cause == Op.Cause.INTERRUPTED || cause == Op.Cause.CLOSED || invoked < 0) {
            return;
        }
        long since = wantedSince[key] == NEVER ? history.times[invoked] : wantedSince[key];
        long free = Math.max(Math.max(since, heldUntil[key]), healed);
        long waited = history.times[event] - free;
        if (waited > run.grantWithinNanos() + run.boundNanos()) {
            findings.violated(
                    Invariant.H8_LIVENESS,
                    () -> run.keyName(event) + " was wanted and free for " + EventText.duration(waited)
                            + " with no fault going on, but the bound is "
                            + EventText.duration(run.grantWithinNanos()) + ".",
                    lastGrant[key] - 1,
                    invoked,
                    event);
        }
    }

    private void seeAtRest(int event) {
        if (Op.Cause.of(history.headers[event]) != Op.Cause.YES) {
            return;
        }
        int key = run.key(event);
        long quiet = history.times[event] - Math.max(heldUntil[key], healed);
        if (quiet >= 3 * run.longestLeaseNanos()) {
            stuck++;
            findings.violated(
                    Invariant.H8_LIVENESS,
                    () -> run.keyName(event) + " is held at rest, " + EventText.duration(quiet)
                            + " after anything that could explain it.",
                    lastGrant[key] - 1,
                    event);
        }
    }

    @Override
    public void end() {
        findings.put(Figure.STUCK_AT_REST, stuck);
    }
}
