package dev.interlock.testkit.history;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.IntStream;

/**
 * H10: the keys of a set are taken in their order, and at rest all or none of them are held.
 *
 * <p>Taking goes through the positions one by one; it may start again at the first, when a key was lost on the way.
 */
final class SetCheck implements Check {
    /** What is left of a set when all is over. */
    private static final class Part {
        final int member;
        // By position: the event that shows it held.
        final TreeMap<Long, Integer> held = new TreeMap<>();
        long used = Long.MIN_VALUE;

        Part(int member) {
            this.member = member;
        }

        void usedAt(long nanos) {
            used = Math.max(used, nanos);
        }
    }

    private final Run run;
    private final History history;
    private final Findings findings;
    private final Attempts attempts;
    private final LongTable sets = new LongTable(64);
    // By set: the event that took the last key, + 1.
    private final Ints taken = new Ints();
    private final Ints members = new Ints();
    private final Ints heldAtRest = new Ints();

    SetCheck(Run run, Findings findings, Attempts attempts) {
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
    public void see(int event, int attempt, Op op, Op.Phase phase) {
        switch (op) {
            case SET_MEMBER -> members.add(event);
            case SET_TAKEN -> seeTaken(event);
            default -> {
                if (Op.Cause.of(history.headers[event]) == Op.Cause.YES) {
                    heldAtRest.add(event);
                }
            }
        }
    }

    private void seeTaken(int event) {
        int set = sets.add(history.a[event]);
        int before = taken.get(set) - 1;
        long next = before < 0 ? 0 : position(before) + 1;
        taken.set(set, event + 1);
        if (position(event) != next && position(event) != 0) {
            findings.violated(
                    Invariant.H10_MULTI_LOCK,
                    () -> run.keyName(event) + " is at position " + position(event)
                            + " of the order, but it was taken when it was the turn of position " + next + ".",
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
        Map<Long, Part> parts = new LinkedHashMap<>();
        for (int i = 0; i < members.size(); i++) {
            int member = members.get(i);
            partOf(member, parts).usedAt(lastUse(member));
        }
        for (int i = 0; i < heldAtRest.size(); i++) {
            find(heldAtRest.get(i), parts);
        }
        parts.values().forEach(this::report);
    }

    private Part partOf(int member, Map<Long, Part> parts) {
        return parts.computeIfAbsent(history.a[member], set -> new Part(member));
    }

    /** When anything but a renewal was last heard of it. A holder that only renews has left it behind. */
    private long lastUse(int member) {
        int attempt = attempts.of(member);
        return IntStream.of(
                        member,
                        attempts.granted(attempt),
                        attempts.ended(attempt),
                        attempts.told(attempt),
                        attempts.releasing(attempt),
                        attempts.released(attempt))
                .filter(event -> event >= 0)
                .mapToLong(event -> history.times[event])
                .max()
                .orElseThrow();
    }

    /** Which sets this hold belongs to. Each key counts once, however often it was asked for. */
    private void find(int held, Map<Long, Part> parts) {
        boolean wasGranted = attempts.wasGranted(held);
        for (int i = 0; i < members.size(); i++) {
            int member = members.get(i);
            int granted = attempts.granted(attempts.of(member));
            boolean sameGrant = granted < 0 ? !wasGranted : history.tokens[granted] == history.tokens[held];
            if (run.key(held) == run.key(member) && history.owners[held] == history.owners[member] && sameGrant) {
                partOf(member, parts).held.put(position(member), held);
            }
        }
    }

    private void report(Part part) {
        int count = part.held.size();
        long size = history.b[part.member] & 0xFFFF_FFFFL;
        // A process that is killed on the way leaves a part behind until its leases end.
        boolean atRest = part.held.values().stream().allMatch(held -> run.isRest(part.used, history.times[held]));
        if (count > 0 && count < size && atRest) {
            findings.violated(
                    Invariant.H10_MULTI_LOCK,
                    () -> "at rest " + count + " of " + size + " keys of a set are held by its owner.",
                    part.member,
                    part.held.firstEntry().getValue());
        }
    }
}
