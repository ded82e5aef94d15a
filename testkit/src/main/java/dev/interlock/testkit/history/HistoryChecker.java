package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Checks which promises a history kept: H1 to H11 of {@link Invariant}.
 *
 * <p>It reports a violation only with proof. Windows count only where they are certain, an unknown outcome stays open,
 * and whatever lies within the clock bound counts as undecidable. Fencing tokens give a total order, so one pass
 * through time and one through each resource's log are enough; there is no search.
 *
 * @since 0.1.0
 */
public final class HistoryChecker {
    private final Expectations expected;

    /** Creates a checker for runs with this setup. */
    public HistoryChecker(Expectations expected) {
        this.expected = expected;
    }

    /** Checks one history. Needs some tens of bytes of memory per event in addition to the history. */
    public Verdict check(History history) {
        long began = System.nanoTime();
        Run run = new Run(history, expected);
        Findings findings = new Findings(run);
        RunValidity validity = new RunValidity(run);
        walk(run, findings, validity);
        new ResourceChecks(run, findings).check();
        putTotals(run, findings);
        long took = Math.max(1, System.nanoTime() - began);
        findings.put(Figure.EVENTS_PER_SECOND, Math.round(history.size() * 1e9 / took));
        return findings.verdict(validity.reasons());
    }

    private static void walk(Run run, Findings findings, RunValidity validity) {
        History history = run.history;
        AttemptStates attempts = new AttemptStates(history);
        NewestGrants newest = new NewestGrants(history, run.boundNanos());
        List<Check> checks = List.of(
                validity,
                new DelayFigures(run, findings, attempts),
                new FenceOrderCheck(run, findings, attempts, newest),
                new WindowCheck(run, findings, attempts),
                new OwnershipCheck(run, findings, attempts, newest),
                new EndedWaitCheck(run, findings, attempts),
                new LossNoticeCheck(run, findings, attempts),
                new LivenessCheck(run, findings, attempts),
                new ReentryCheck(run, findings, attempts),
                new SetCheck(run, findings, attempts),
                new DeadlockCheck(run, findings, attempts));
        Check[][] byOp = byOp(checks);
        for (int event : history.order) {
            Op op = Op.of(history.headers[event]);
            Op.Phase phase = Op.Phase.of(history.headers[event]);
            newest.advance(history.times[event]);
            int attempt = op.isOfAttempt() ? attempts.of(event) : -1;
            for (Check check : byOp[op.code()]) {
                check.onEvent(event, attempt, op, phase);
            }
            if (attempt >= 0) {
                attempts.onEvent(event, attempt, op, phase);
            }
            // A late grant has a token as well.
            if ((op == Op.ACQUIRE && phase == Op.Phase.OK) || op == Op.LATE_GRANT) {
                newest.granted(event);
            }
        }
        checks.forEach(Check::end);
    }

    private static Check[][] byOp(List<Check> checks) {
        Check[][] byOp = new Check[Op.values().length + 1][];
        for (Op op : Op.values()) {
            List<Check> wanted = new ArrayList<>();
            checks.stream().filter(check -> check.ops().contains(op)).forEach(wanted::add);
            byOp[op.code()] = wanted.toArray(new Check[0]);
        }
        return byOp;
    }

    private static void putTotals(Run run, Findings findings) {
        findings.put(Figure.EVENTS, run.history.size());
        findings.put(Figure.PROCESSES, run.history.sources().size());
        findings.put(Figure.UNFINISHED_SLOTS, run.history.unfinished());
        findings.put(Figure.DURATION, run.lastNanos - run.firstNanos);
        findings.put(Figure.FAULTS_INJECTED, run.faults.all().size());
        findings.put(
                Figure.FAULTS_ACTED,
                run.faults.all().stream().filter(fault -> fault.acted).count());
        findings.put(Figure.CLOCK_BOUND, run.boundNanos());
    }
}
