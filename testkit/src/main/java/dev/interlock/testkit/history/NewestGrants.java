package dev.interlock.testkit.history;

/**
 * The grant with the highest token of each key, among those that were complete before the present moment.
 *
 * <p>A grant is certainly complete when it is older than the clock bound; until then it is only possibly complete.
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

    /** Time has come to this moment: grants that lie more than the bound before it are complete now. */
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

    /** Of any mode, as the process of this event can tell, which needs no clock bound for its own grants; or -1. */
    int certain(int event) {
        int key = Op.name(history.headers[event]);
        int latest = possible[key] - 1;
        boolean own = latest != NONE && Op.process(history.headers[latest]) == Op.process(history.headers[event]);
        return own ? latest : certain[key] - 1;
    }

    /** Of those that are exclusive; or -1. */
    int certainExclusive(int key) {
        return certainExclusive[key] - 1;
    }

    /** Of any mode, including those that may not have been complete; or -1. */
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
