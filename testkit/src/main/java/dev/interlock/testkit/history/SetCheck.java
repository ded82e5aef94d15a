package dev.interlock.testkit.history;

import java.util.Set;

/**
 * H10: the keys of a set are taken in their order, and at rest all or none of them are held.
 *
 * <p>Taking goes through the positions one by one; it may start again at the first, when a key was lost on the way.
 */
final class SetCheck implements Check {
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
        Ints held = new Ints();
        Ints witness = new Ints();
        for (int i = 0; i < members.size() && heldAtRest.size() > 0; i++) {
            int atRest = heldBy(members.get(i));
            if (atRest >= 0) {
                int set = sets.add(history.a[members.get(i)]);
                held.set(set, held.get(set) + 1);
                witness.set(set, atRest + 1);
            }
        }
        for (int i = 0; i < members.size() && held.size() > 0; i++) {
            reportPart(members.get(i), held, witness);
        }
    }

    /** The event that shows this member held at rest, or -1. */
    private int heldBy(int member) {
        int granted = attempts.granted(attempts.of(member));
        for (int i = 0; i < heldAtRest.size(); i++) {
            int held = heldAtRest.get(i);
            boolean sameGrant = granted < 0 || history.tokens[granted] == history.tokens[held];
            if (run.key(held) == run.key(member) && history.owners[held] == history.owners[member] && sameGrant) {
                return held;
            }
        }
        return -1;
    }

    private void reportPart(int member, Ints held, Ints witness) {
        int set = sets.add(history.a[member]);
        int count = held.get(set);
        long size = history.b[member] & 0xFFFF_FFFFL;
        if (count > 0 && count < size && position(member) == 0) {
            findings.violated(
                    Invariant.H10_MULTI_LOCK,
                    () -> "at rest " + count + " of " + size + " keys of a set are held by its owner.",
                    member,
                    witness.get(set) - 1);
        }
    }
}
