package dev.interlock.testkit.history;

/** Compares each window with the windows of the same key that are open when it starts. */
final class WindowSweep {
    private static final int END = 0;

    private final Run run;
    private final History history;
    private final Findings findings;
    private final Ints grants;
    private final Longs starts;
    private final Longs ends;
    // Linked lists of open windows: window + 1, by key, and the next one by window.
    private final int[] first;
    private final int[] next;

    WindowSweep(Run run, Findings findings, Ints grants, Longs starts, Longs ends) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.grants = grants;
        this.starts = starts;
        this.ends = ends;
        this.first = new int[history.nameCount()];
        this.next = new int[grants.size()];
    }

    void next(int window) {
        int key = run.key(grants.get(window));
        dropEnded(key, starts.get(window));
        for (int other = first[key]; other != END; other = next[other - 1]) {
            compare(other - 1, window);
        }
        if (mode(window) == Op.PERMITS) {
            countPermits(key, window);
        }
        next[window] = first[key];
        first[key] = window + 1;
    }

    private void dropEnded(int key, long now) {
        int retained = END;
        for (int other = first[key]; other != END; other = next[other - 1]) {
            if (ends.get(other - 1) > now) {
                retained = other;
            } else if (retained == END) {
                first[key] = next[other - 1];
            } else {
                next[retained - 1] = next[other - 1];
            }
        }
    }

    private void compare(int earlier, int later) {
        int one = grants.get(earlier);
        int two = grants.get(later);
        if (history.owners[one] == history.owners[two] || !exclude(mode(earlier), mode(later))) {
            return;
        }
        long from = starts.get(later);
        long to = Math.min(ends.get(earlier), ends.get(later));
        if (to - from > run.boundNanos(one, two)) {
            findings.exclusivityBroken(
                    Invariant.H2_WINDOW_EXCLUSIVITY,
                    from,
                    to,
                    () -> "two owners held " + run.keyName(one) + " at the same time for "
                            + EventText.duration(to - from) + ", from "
                            + findings.text().time(from) + ".",
                    one,
                    two);
        } else if (to > from) {
            findings.undecidable();
        }
    }

    /** Permits exclude each other only through their sum. */
    private static boolean exclude(int one, int two) {
        return one == Op.EXCLUSIVE || two == Op.EXCLUSIVE || one != two;
    }

    private void countPermits(int key, int window) {
        int grant = grants.get(window);
        long capacity = history.c[grant] & 0xFFFF_FFFFL;
        long certain = permits(grant);
        long possible = certain;
        long until = ends.get(window);
        int witness = -1;
        for (int other = first[key]; other != END; other = next[other - 1]) {
            int held = grants.get(other - 1);
            if (mode(other - 1) != Op.PERMITS) {
                continue;
            }
            possible += permits(held);
            if (ends.get(other - 1) - starts.get(window) > run.boundNanos()) {
                certain += permits(held);
                until = Math.min(until, ends.get(other - 1));
                witness = held;
            }
        }
        report(window, witness, certain, possible, capacity, until);
    }

    private void report(int window, int witness, long certain, long possible, long capacity, long until) {
        int grant = grants.get(window);
        if (certain > capacity && until - starts.get(window) > run.boundNanos()) {
            findings.exclusivityBroken(
                    Invariant.H2_WINDOW_EXCLUSIVITY,
                    starts.get(window),
                    until,
                    () -> certain + " permits of " + run.keyName(grant)
                            + " were held at the same time, but its capacity is " + capacity + ".",
                    witness,
                    grant);
        } else if (possible > capacity) {
            findings.undecidable();
        }
    }

    private long permits(int grant) {
        return history.c[grant] >>> 32;
    }

    private int mode(int window) {
        return Op.mode(history.headers[grants.get(window)]);
    }
}
