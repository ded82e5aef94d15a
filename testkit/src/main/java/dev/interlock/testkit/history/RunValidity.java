package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.TreeSet;

/**
 * Checks what makes a run valid: load before the first fault, grants after it, faults that acted, and a complete check
 * of the store and the resource at rest.
 */
final class RunValidity implements Check {
    private static final int PROBED = 1;
    private static final int GRANTED = 2;
    private static final int READ = 4;
    private static final int WRITTEN = 8;

    private final Run run;
    private final History history;
    private final long firstFault;
    // By key: what happened since the last check at rest.
    private final int[] seen;
    private final Set<String> unreadable = new TreeSet<>();
    private long grantsBefore;
    private long grantsAfter;

    RunValidity(Run run) {
        this.run = run;
        this.history = run.history;
        this.firstFault =
                run.faults.all().stream().mapToLong(fault -> fault.start).min().orElse(Long.MAX_VALUE);
        this.seen = new int[history.nameCount()];
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.ACQUIRE, Op.WRITE, Op.AT_REST, Op.FINAL_READ);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        if (phase == Op.Phase.UNKNOWN && op != Op.ACQUIRE) {
            unreadable.add(run.keyName(event));
        }
        if (phase != Op.Phase.OK) {
            return;
        }
        int key = run.key(event);
        switch (op) {
            case ACQUIRE -> {
                grantsBefore += history.times[event] < firstFault ? 1 : 0;
                grantsAfter += history.times[event] >= firstFault ? 1 : 0;
                seen[key] = (seen[key] | GRANTED) & ~PROBED;
            }
            case WRITE -> seen[key] = (seen[key] | WRITTEN) & ~READ;
            case AT_REST -> seen[key] |= PROBED;
            default -> seen[key] |= READ;
        }
    }

    /** Returns why the run proves nothing, or an empty list if it is valid. */
    List<String> reasons() {
        List<String> reasons = new ArrayList<>();
        checkLoad(reasons);
        checkFaults(reasons);
        checkAtRest(reasons);
        return reasons;
    }

    private void checkLoad(List<String> reasons) {
        long until = Math.min(firstFault, run.lastNanos);
        double seconds = (until - run.firstNanos) / 1e9;
        double load = seconds > 0 ? grantsBefore / seconds : 0;
        if (load < run.expected.load()) {
            reasons.add(String.format(
                    Locale.ROOT,
                    "%d grants in %.3f s before the first fault are %.2f per second; the run requires %.2f.",
                    grantsBefore,
                    seconds,
                    load,
                    run.expected.load()));
        }
        if (firstFault != Long.MAX_VALUE && grantsAfter == 0) {
            reasons.add("there was no grant during or after the first fault.");
        }
    }

    private void checkFaults(List<String> reasons) {
        Set<String> missing = new TreeSet<>(run.expected.faults());
        Set<String> idle = new TreeSet<>();
        run.faults.all().forEach(fault -> {
            missing.remove(fault.kind);
            idle.add(fault.kind);
        });
        run.faults.all().stream().filter(fault -> fault.acted).forEach(fault -> idle.remove(fault.kind));
        missing.forEach(kind -> reasons.add("the fault \"" + kind + "\" was never injected."));
        idle.forEach(kind -> reasons.add("the fault \"" + kind + "\" was never observed to act."));
    }

    private void checkAtRest(List<String> reasons) {
        unreadable.forEach(key -> reasons.add("the check of " + key + " at rest failed."));
        for (int key = 0; key < seen.length && reasons.size() < 10; key++) {
            if ((seen[key] & (GRANTED | PROBED)) == GRANTED) {
                reasons.add(history.name(key) + " was granted, but the store was not checked at rest.");
            }
            if ((seen[key] & (WRITTEN | READ)) == WRITTEN) {
                reasons.add(history.name(key) + " was written, but the resource was not read at rest.");
            }
        }
    }
}
