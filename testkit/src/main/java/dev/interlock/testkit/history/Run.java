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

    /** When the process of this event was last heard of; it may have been killed then. */
    long lastOfProcess(int event) {
        return lastOfProcess[Op.process(history.headers[event])];
    }

    /** What a record that nobody gave back may keep a key closed for. */
    long longestLeaseNanos() {
        return longestLeaseNanos;
    }

    long grantWithinNanos() {
        return expected.grantWithin().map(Duration::toNanos).orElse(3 * longestLeaseNanos);
    }

    long healedNanos() {
        return faults.lastHealed(firstNanos);
    }

    long pausedNanos(int process, long from, long to) {
        return faults.pausedNanos(expected.pauses(), process, from, to);
    }

    /** Whether windows may overlap then, by the fault model of the run. */
    boolean allowsOverlap(long from, long to) {
        return !expected.exclusivityBreakers().isEmpty()
                && faults.anyDuring(expected.exclusivityBreakers(), from, to, longestLeaseNanos);
    }

    /** Whether tokens may have fallen by then, by the declared clock-bounded case. */
    boolean allowsFallenTokens(long time) {
        // Once tokens have fallen they stay low: the excuse has no end.
        return !expected.fenceBreakers().isEmpty()
                && faults.anyDuring(expected.fenceBreakers(), time, time, Long.MAX_VALUE / 2);
    }

    int key(int event) {
        return Op.name(history.headers[event]);
    }

    String keyName(int event) {
        return history.name(key(event));
    }
}
