package dev.interlock.testkit.history;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * H11: each victim's wait was on a cycle that existed at one instant, and each lasting cycle has a victim.
 *
 * <p>Waits are recorded, or derived from requests and grants ({@link DerivedWaits}). A cycle is complete with its last
 * edge, so a search whenever an edge appears finds it. Clocks may differ, so an edge counts for twice the clock bound
 * longer: a victim is reported as wrong only if that cannot explain it.
 */
final class DeadlockCheck implements Check, DerivedWaits.Edges {
    /** Scopes of which each waits for the next and the last for the first, since the latest of these waits. */
    private static final class Cycle {
        final List<Integer> scopes;
        final int[] waits;
        boolean victim;

        Cycle(List<Integer> scopes, int[] waits, boolean victim) {
            this.scopes = scopes;
            this.waits = waits;
            this.victim = victim;
        }

        boolean contains(int wait) {
            return Arrays.stream(waits).anyMatch(one -> one == wait);
        }
    }

    /** An edge that ended. It is removed a little later. */
    private record Ended(long nanos, long waiter, long holder, int attempt) {}

    private static final int MAX_EXPLAINED = 4;

    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final long within;
    private final long slack;
    private final LongTable scopes = new LongTable(64);
    private final WaitGraph graph = new WaitGraph();
    private final Ints onCycle = new Ints();
    private final Ints victims = new Ints();
    private final Ints lastWait = new Ints();
    private final List<Ended> ended = new ArrayList<>();
    private final @Nullable DerivedWaits derived;
    private final List<Cycle> open = new ArrayList<>();
    private int removed;

    DeadlockCheck(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
        this.within = run.expected.deadlockWithinNanos();
        this.slack = 2 * run.boundNanos();
        this.derived = run.expected.derivesWaits() ? new DerivedWaits(history, attempts, this) : null;
    }

    @Override
    public Set<Op> ops() {
        return derived == null
                ? Set.of(Op.WAIT_BEGIN, Op.WAIT_END, Op.VICTIM)
                : Set.of(Op.ACQUIRE, Op.RELEASE, Op.LOST, Op.VICTIM);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        removeEnded(history.times[event]);
        switch (op) {
            case WAIT_BEGIN -> begin(history.owners[event], history.a[event], attempt, event);
            case WAIT_END -> end(history.owners[event], history.a[event], attempt, event);
            case VICTIM -> victim(event, attempt);
            default -> {
                if (derived != null) {
                    derived.onEvent(event, attempt, op, phase);
                }
            }
        }
    }

    @Override
    public void end(long waiting, long holding, int attempt, int event) {
        ended.add(new Ended(history.times[event], waiting, holding, attempt));
    }

    @Override
    public void begin(long waiting, long holding, int attempt, int event) {
        int waiter = scopes.add(waiting);
        int holder = scopes.add(holding);
        lastWait.set(attempt, event + 1);
        graph.add(waiter, holder, attempt, event);
        if (opensCycle(holder, waiter)) {
            graph.attemptsOnCyclesOf(waiter).forEach(member -> onCycle.set(member, 1));
        }
    }

    /** Searches a path from the holder back to the scope that waits for it. */
    private boolean opensCycle(int holder, int waiter) {
        List<Integer> back = graph.path(holder, waiter);
        if (!back.isEmpty()) {
            int[] waits = waitsAlong(back);
            boolean victim = Arrays.stream(waits).anyMatch(wait -> victims.get(attempts.of(wait)) != 0);
            open.add(new Cycle(back, waits, victim));
        }
        return !back.isEmpty();
    }

    private int[] waitsAlong(List<Integer> scopes) {
        int[] waits = new int[scopes.size()];
        for (int i = 0; i < waits.length; i++) {
            waits[i] = graph.eventOf(scopes.get(i), scopes.get((i + 1) % waits.length));
        }
        return waits;
    }

    /** Edges end in the order of time, each a little later than recorded. */
    private void removeEnded(long now) {
        while (removed < ended.size() && (slack == 0 || ended.get(removed).nanos + slack < now)) {
            Ended edge = ended.get(removed++);
            graph.remove(scopes.add(edge.waiter), scopes.add(edge.holder), edge.attempt);
            closeCycles(edge.nanos);
        }
    }

    private void closeCycles(long now) {
        for (int i = open.size() - 1; i >= 0; i--) {
            Cycle cycle = open.get(i);
            if (!exists(cycle)) {
                open.remove(i);
                checkLasting(cycle, now);
                openOthers(cycle);
            }
        }
    }

    private boolean exists(Cycle cycle) {
        return Arrays.stream(waitsAlong(cycle.scopes)).allMatch(wait -> wait >= 0);
    }

    /** A wait may be on several cycles, of which one is tracked. When that cycle is gone, the next one is tracked. */
    private void openOthers(Cycle gone) {
        for (int i = 0; i < gone.scopes.size(); i++) {
            int waiter = gone.scopes.get(i);
            int holder = gone.scopes.get((i + 1) % gone.scopes.size());
            int wait = graph.eventOf(waiter, holder);
            if (wait >= 0 && open.stream().noneMatch(cycle -> cycle.contains(wait))) {
                opensCycle(holder, waiter);
            }
        }
    }

    private void victim(int event, int attempt) {
        int scope = scopes.add(history.owners[event]);
        victims.set(attempt, 1);
        open.stream().filter(cycle -> cycle.scopes.contains(scope)).forEach(cycle -> cycle.victim = true);
        if (onCycle.get(attempt) == 0) {
            findings.violated(
                    Invariant.H11_DEADLOCK,
                    () -> EventText.scope(history.owners[event])
                            + " was chosen as a victim, but its wait was on no cycle at any instant.",
                    lastWait.get(attempt) - 1,
                    event);
        }
    }

    private void checkLasting(Cycle cycle, long until) {
        // A dead process no longer waits.
        long alive =
                Arrays.stream(cycle.waits).mapToLong(run::lastOfProcess).min().orElse(until);
        long begin = Arrays.stream(cycle.waits)
                .mapToLong(wait -> history.times[wait])
                .max()
                .orElseThrow();
        long end = Math.min(until, alive);
        // A paused process cannot be notified to give up.
        long paused = Arrays.stream(cycle.waits)
                .mapToLong(wait -> run.pausedNanos(wait, begin, end))
                .sum();
        long lasted = end - begin - paused;
        if (!cycle.victim && lasted > within + slack) {
            findings.violated(
                    Invariant.H11_DEADLOCK,
                    () -> cycle.scopes.size() + " scopes waited for each other for " + EventText.duration(lasted)
                            + ", and none was chosen as the victim.",
                    Arrays.copyOf(cycle.waits, Math.min(MAX_EXPLAINED, cycle.waits.length)));
        }
    }

    @Override
    public void end() {
        removeEnded(Long.MAX_VALUE);
        open.forEach(cycle -> checkLasting(cycle, run.lastNanos));
    }
}
