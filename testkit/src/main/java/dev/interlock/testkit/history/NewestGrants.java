package dev.interlock.testkit.history;

/**
 * The grant with the highest token of each key, among the grants that were complete before the present moment.
 *
 * <p>A grant is certainly complete when it is older than the clock bound. Until then it is only possibly complete.
 */
final class NewestGrants {
    private static final int NONE = -1;

    private final History history;
    private final long boundNanos;
    // Event + 1, by key.
    private final int[] certain;
    private final int[] certainExclusive;
    private final int[] possible;
    private final Ints recent = new Ints();
    private int drained;

    NewestGrants(History history, long boundNanos) {
        this.history = history;
        this.boundNanos = boundNanos;
        this.certain = new int[history.nameCount()];
        this.certainExclusive = new int[history.nameCount()];
        this.possible = new int[history.nameCount()];
    }

    /** Advances to this moment. Grants that are older than the bound are complete now. */
    void advance(long nowNanos) {
        while (drained < recent.size() && history.times[recent.get(drained)] + boundNanos < nowNanos) {
            int event = recent.get(drained++);
            raise(certain, event);
            if (Op.mode(history.headers[event]) == Op.EXCLUSIVE) {
                raise(certainExclusive, event);
            }
        }
    }

    void granted(int event) {
        recent.add(event);
        raise(possible, event);
    }

    /**
     * Returns the newest grant of any mode, or -1, from the view of the process of this event. For its own grants that
     * process needs no clock bound.
     */
    int certain(int event) {
        int key = Op.name(history.headers[event]);
        int latest = possible[key] - 1;
        boolean own = latest != NONE && Op.process(history.headers[latest]) == Op.process(history.headers[event]);
        return own ? latest : certain[key] - 1;
    }

    /** Returns the newest exclusive grant, or -1. */
    int certainExclusive(int key) {
        return certainExclusive[key] - 1;
    }

    /** Returns the newest grant of any mode, including grants that may not have been complete, or -1. */
    int possible(int key) {
        return possible[key] - 1;
    }

    private void raise(int[] newest, int event) {
        int key = Op.name(history.headers[event]);
        int before = newest[key] - 1;
        if (before == NONE || history.tokens[before] < history.tokens[event]) {
            newest[key] = event + 1;
        }
    }
}
