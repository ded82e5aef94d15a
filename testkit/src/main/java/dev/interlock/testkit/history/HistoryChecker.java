package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.List;

/**
 * Says of a history which promises it kept: H1 to H11 of {@link Invariant}.
 *
 * <p>It never alarms without proof. Windows count only where they are certain, an outcome that nobody knows stays open, and
 * what lies within the clock bound is counted as undecidable. Fencing tokens give a total order, so one walk through time and
 * one through each resource's log suffice; nothing is searched.
 */
public final class HistoryChecker {
    private final Expectations expected;

    /** Checks histories of runs that were set up like this. */
    public HistoryChecker(Expectations expected) {
        this.expected = expected;
    }

    /** Checks one history. Takes some tens of bytes of memory per event beyond the history itself. */
    public Verdict check(History history) {
        long began = System.nanoTime();
        Run run = new Run(history, expected);
        Findings findings = new Findings(run);
        Gates gates = new Gates(run);
        walk(run, findings, gates);
        new ResourceChecks(run, findings).check();
        putTotals(run, findings);
        long took = Math.max(1, System.nanoTime() - began);
        findings.put(Figure.EVENTS_PER_SECOND, Math.round(history.size() * 1e9 / took));
        return findings.verdict(gates.reasons());
    }

    private static void walk(Run run, Findings findings, Gates gates) {
        History history = run.history;
        Attempts attempts = new Attempts(history);
        NewestGrants newest = new NewestGrants(history, run.boundNanos());
        List<Check> checks = List.of(
                gates,
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
                check.see(event, attempt, op, phase);
            }
            if (attempt >= 0) {
                attempts.see(event, attempt, op, phase);
            }
            // A grant that came too late has a token as well.
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
