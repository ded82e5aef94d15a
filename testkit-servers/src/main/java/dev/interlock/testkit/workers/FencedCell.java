package dev.interlock.testkit.workers;

/**
 * One key of the resource: its value, the highest token it has seen, and whose that was.
 *
 * <p>The rule: a larger token is accepted, and an equal one from the same owner; everything else is stale. A cell without a
 * fence accepts everything and still remembers the highest token, so that its log shows what the rule would have refused.
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

    boolean raise(Bearer bearer) {
        boolean current = bearer.token() > fence || (bearer.token() == fence && bearer.owner() == owner);
        if (current) {
            fence = bearer.token();
            owner = bearer.owner();
        }
        return current || !fenced;
    }

    boolean write(Bearer bearer, long newValue) {
        boolean accepted = raise(bearer);
        if (accepted) {
            value = newValue;
        }
        return accepted;
    }
}
