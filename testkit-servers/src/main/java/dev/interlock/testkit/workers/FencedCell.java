package dev.interlock.testkit.workers;

/**
 * One key of the resource: its value, the highest token it has seen, and the owner of that token.
 *
 * <p>The rule: a larger token is accepted, and an equal one from the same owner; everything else is stale. A cell
 * without a fence accepts everything and still records the highest token, so that its log shows what the rule would
 * have rejected.
 *
 * <p>Not thread-safe: the resource has one thread.
 */
final class FencedCell {
    private final boolean fenced;
    private long value;
    private long fence;
    private long owner;

    FencedCell(boolean fenced) {
        this.fenced = fenced;
    }

    long value() {
        return value;
    }

    long fence() {
        return fence;
    }

    boolean raise(WriterIdentity identity) {
        boolean current = identity.token() > fence || (identity.token() == fence && identity.owner() == owner);
        if (current) {
            fence = identity.token();
            owner = identity.owner();
        }
        return current || !fenced;
    }

    boolean write(WriterIdentity identity, long newValue) {
        boolean accepted = raise(identity);
        if (accepted) {
            value = newValue;
        }
        return accepted;
    }
}
