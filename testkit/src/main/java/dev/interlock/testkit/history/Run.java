package dev.interlock.testkit.history;

import java.time.Duration;

/** A history with what must be known of it as a whole before it can be walked through. */
final class Run {
    final History history;
    final Expectations expected;
    final Faults faults = new Faults();
    final long firstNanos;
    final long lastNanos;
    private final long[] lastOfProcess = new long[EventLog.Writer.MAX_NUMBER + 1];
    private long boundNanos;
    private long longestLeaseNanos;

    Run(History history, Expectations expected) {
        this.history = history;
        this.expected = expected;
        this.boundNanos = expected.clockBoundNanos();
        int size = history.size();
        this.firstNanos = size == 0 ? 0 : history.times[history.order[0]];
        this.lastNanos = size == 0 ? 0 : history.times[history.order[size - 1]];
        for (int event : history.order) {
            look(event);
        }
    }

    private void look(int event) {
        lastOfProcess[Op.process(history.headers[event])] = history.times[event];
        switch (Op.of(history.headers[event])) {
            case FAULT -> faults.see(history, event);
            case ACQUIRE -> longestLeaseNanos = Math.max(longestLeaseNanos, history.b[event]);
            case CLOCK_BOUND -> boundNanos = Math.max(boundNanos, history.b[event]);
            default -> {}
        }
    }

    /** How much clocks of two processes may differ. */
    long boundNanos() {
        return boundNanos;
    }

    /** How much the clocks of two events may differ: not at all in one process. */
    long boundNanos(int one, int two) {
        return Op.process(history.headers[one]) == Op.process(history.headers[two]) ? 0 : boundNanos;
    }

    /** When the process of this event was last heard of; it may have been killed then. */
    long lastOfProcess(int event) {
        return lastOfProcess[Op.process(history.headers[event])];
    }

    /** What a record that nobody gave back may keep a key closed for. */
    long longestLeaseNanos() {
        return longestLeaseNanos;
    }

    /** Whether so much time lies between that everything that was left behind has ended. */
    boolean isRest(long since, long until) {
        return until - Math.max(since, healedNanos()) >= 3 * longestLeaseNanos;
    }

    long grantWithinNanos() {
        return expected.grantWithin().map(Duration::toNanos).orElse(3 * longestLeaseNanos);
    }

    long healedNanos() {
        return faults.lastHealed(firstNanos);
    }

    /** How long the process of this event stood still between two moments. */
    long pausedNanos(int event, long from, long to) {
        return faults.pausedNanos(expected.pauses(), Op.process(history.headers[event]), from, to);
    }

    /** Whether windows may overlap then, by the fault model of the run. */
    boolean allowsOverlap(long from, long to) {
        return !expected.exclusivityBreakers().isEmpty()
                && faults.cover(expected.exclusivityBreakers(), from, to, boundNanos, longestLeaseNanos);
    }

    /** Whether tokens may have fallen by then, by the declared clock-bounded case. */
    boolean allowsFallenTokens(long time) {
        // Once tokens have fallen they stay low: the excuse has no end.
        return faults.anyBefore(expected.fenceBreakers(), time);
    }

    int key(int event) {
        return Op.name(history.headers[event]);
    }

    String keyName(int event) {
        return history.name(key(event));
    }
}
