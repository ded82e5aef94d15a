package dev.interlock.testkit.history;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * H10: the keys of a set are acquired in their order, and at rest all or none of them are held.
 *
 * <p>Acquisition proceeds position by position. It may restart at the first key if a key was lost on the way.
 */
final class SetCheck implements Check {
    /** What remains of a set after all work is over. */
    private static final class Remainder {
        final int member;
        // By position: the event that shows the key as held.
        final TreeMap<Long, Integer> held = new TreeMap<>();
        long used = Long.MIN_VALUE;

        Remainder(int member) {
            this.member = member;
        }

        void usedAt(long nanos) {
            used = Math.max(used, nanos);
        }
    }

    private final Run run;
    private final History history;
    private final Findings findings;
    private final AttemptStates attempts;
    private final LongTable sets = new LongTable(64);
    // By set: the event that acquired the last key, + 1.
    private final Ints taken = new Ints();
    private final Ints members = new Ints();
    private final Ints heldAtRest = new Ints();

    SetCheck(Run run, Findings findings, AttemptStates attempts) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.attempts = attempts;
    }

    @Override
    public Set<Op> ops() {
        return Set.of(Op.SET_MEMBER, Op.SET_TAKEN, Op.AT_REST);
    }

    @Override
    public void onEvent(int event, int attempt, Op op, Op.Phase phase) {
        switch (op) {
            case SET_MEMBER -> members.add(event);
            case SET_TAKEN -> onTaken(event);
            default -> {
                if (Op.Cause.of(history.headers[event]) == Op.Cause.YES) {
                    heldAtRest.add(event);
                }
            }
        }
    }

    private void onTaken(int event) {
        int set = sets.add(history.a[event]);
        int before = taken.get(set) - 1;
        long next = before < 0 ? 0 : position(before) + 1;
        taken.set(set, event + 1);
        if (position(event) != next && position(event) != 0) {
            findings.violated(
                    Invariant.H10_MULTI_LOCK,
                    () -> run.keyName(event) + " is at position " + position(event)
                            + " of the order, but it was acquired when position " + next + " was next.",
                    before,
                    event);
        }
    }

    private long position(int event) {
        return history.b[event] >>> 32;
    }

    @Override
    public void end() {
        if (heldAtRest.size() == 0) {
            return;
        }
        Map<Long, Remainder> remainders = new LinkedHashMap<>();
        for (int i = 0; i < members.size(); i++) {
            int member = members.get(i);
            remainderOf(member, remainders).usedAt(lastUse(member));
        }
        for (int i = 0; i < heldAtRest.size(); i++) {
            find(heldAtRest.get(i), remainders);
        }
        remainders.values().forEach(this::report);
    }

    private Remainder remainderOf(int member, Map<Long, Remainder> remainders) {
        return remainders.computeIfAbsent(history.a[member], set -> new Remainder(member));
    }

    /** The last event other than a renewal. A holder that only renews has abandoned the set. */
    private long lastUse(int member) {
        int attempt = attempts.of(member);
        return IntStream.of(
                        member,
                        attempts.granted(attempt),
                        attempts.ended(attempt),
                        attempts.notified(attempt),
                        attempts.releasing(attempt),
                        attempts.released(attempt))
                .filter(event -> event >= 0)
                .mapToLong(event -> history.times[event])
                .max()
                .orElseThrow();
    }

    /** Finds the sets to which this hold belongs. Each key counts once, however often it was requested. */
    private void find(int held, Map<Long, Remainder> remainders) {
        boolean wasGranted = attempts.wasGranted(held);
        for (int i = 0; i < members.size(); i++) {
            int member = members.get(i);
            int granted = attempts.granted(attempts.of(member));
            boolean sameGrant = granted < 0 ? !wasGranted : history.tokens[granted] == history.tokens[held];
            if (run.key(held) == run.key(member) && history.owners[held] == history.owners[member] && sameGrant) {
                remainderOf(member, remainders).held.put(position(member), held);
            }
        }
    }

    private void report(Remainder remainder) {
        int count = remainder.held.size();
        long size = history.b[remainder.member] & 0xFFFF_FFFFL;
        // A process that is killed on the way leaves a partial set behind until its leases end.
        boolean atRest =
                remainder.held.values().stream().allMatch(held -> run.isRest(remainder.used, history.times[held]));
        if (count > 0 && count < size && atRest) {
            findings.violated(
                    Invariant.H10_MULTI_LOCK,
                    () -> "at rest " + count + " of " + size + " keys of a set are held by its owner.",
                    remainder.member,
                    remainder.held.firstEntry().getValue());
        }
    }
}
