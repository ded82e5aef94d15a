package dev.interlock.testkit.history;

import java.util.Set;

/** The durations and counts of the report that are not violations. */
final class DelayFigures implements Check {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    // Attempt + 1, by key.
    private final int[] lastHolder;
    private final Longs takeovers = new Longs();
    private final Longs heals = new Longs();
    private final Longs notices = new Longs();
    private final Longs unhealed = new Longs();
    private int healed;
    private long grants;
    private long unknown;

    DelayFigures(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.lastHolder = new int[history.nameCount()];
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ACQUIRE, Op.RENEW, Op.RELEASE, Op.CLIENT_WRITE, Op.LOST, Op.FAULT);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        if (phase == Op.Phase.UNKNOWN) {
            unknown++;
        } else if (op == Op.ACQUIRE && phase == Op.Phase.OK) {
            granted(event, attempt);
        } else if (op == Op.LOST) {
            notified(event, attempt);
        } else if (op == Op.FAULT && phase == Op.Phase.OK) {
            unhealed.add(history.times[event]);
        }
    }

    private void granted(int event, int attempt) {
        grants++;
        long now = history.times[event];
        while (healed < unhealed.size()) {
            heals.add(now - unhealed.get(healed++));
        }
        int key = run.key(event);
        int former = lastHolder[key] - 1;
        int invoked = attempts.invoked(attempt);
        if (former >= 0 && invoked >= 0 && attempts.releasing(former) < 0 && attempts.validUntil(former) < now) {
            takeovers.add(now - Math.max(attempts.validUntil(former), history.times[invoked]));
        }
        lastHolder[key] = attempt + 1;
    }

    private void notified(int event, int attempt) {
        long until = attempts.validUntil(attempt);
        long now = history.times[event];
        if (until != 0 && until <= now) {
            notices.add(now - until - run.pausedNanos(event, until, now));
        }
    }

    @Override
    public void end() {
        findings.put(Figure.GRANTS, grants);
        findings.put(Figure.UNKNOWN_OUTCOMES, unknown);
        put(takeovers, Figure.TAKEOVER_P50, Figure.TAKEOVER_P99, Figure.TAKEOVER_MAX);
        put(heals, Figure.HEAL_P50, Figure.HEAL_P99, Figure.HEAL_MAX);
        put(notices, Figure.NOTICE_P50, Figure.NOTICE_P99, Figure.NOTICE_MAX);
    }

    private void put(Longs delays, Figure p50, Figure p99, Figure max) {
        long[] found = delays.percentiles(0.5, 0.99, 1);
        findings.put(p50, found[0]);
        findings.put(p99, found[1]);
        findings.put(max, found[2]);
    }
}
