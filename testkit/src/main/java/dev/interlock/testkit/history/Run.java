package dev.interlock.testkit.history;

import java.time.Duration;

/** A history together with the facts that must be known before the pass through its events. */
final class Run {
    final History history;
    final Expectations expected;
    final FaultSpans faults = new FaultSpans();
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
            scan(event);
        }
    }

    private void scan(int event) {
        lastOfProcess[Op.process(history.headers[event])] = history.times[event];
        switch (Op.of(history.headers[event])) {
            case FAULT -> faults.onEvent(history, event);
            case ACQUIRE -> longestLeaseNanos = Math.max(longestLeaseNanos, history.b[event]);
            case CLOCK_BOUND -> boundNanos = Math.max(boundNanos, history.b[event]);
            default -> {}
        }
    }

    /** The largest difference between the clocks of two processes. */
    long boundNanos() {
        return boundNanos;
    }

    /** The largest difference between the clocks of two events. Zero within one process. */
    long boundNanos(int one, int two) {
        return Op.process(history.headers[one]) == Op.process(history.headers[two]) ? 0 : boundNanos;
    }

    /** When the process of this event recorded its last event. It may have been killed then. */
    long lastOfProcess(int event) {
        return lastOfProcess[Op.process(history.headers[event])];
    }

    /** The longest time for which an unreleased record can keep a key closed. */
    long longestLeaseNanos() {
        return longestLeaseNanos;
    }

    /** Returns whether the interval is long enough for everything left behind to have ended. */
    boolean isRest(long since, long until) {
        return until - Math.max(since, healedNanos()) >= 3 * longestLeaseNanos;
    }

    long grantWithinNanos() {
        return expected.grantWithin().map(Duration::toNanos).orElse(3 * longestLeaseNanos);
    }

    long healedNanos() {
        return faults.lastHealed(firstNanos);
    }

    /** Returns how long the process of this event was paused in the interval. */
    long pausedNanos(int event, long from, long to) {
        return faults.pausedNanos(expected.pauses(), Op.process(history.headers[event]), from, to);
    }

    /** Returns whether the fault model of the run allows windows to overlap in the interval. */
    boolean allowsOverlap(long from, long to) {
        return !expected.exclusivityBreakers().isEmpty()
                && faults.cover(expected.exclusivityBreakers(), from, to, boundNanos, longestLeaseNanos);
    }

    /** Returns whether tokens may have fallen by this time, in the declared clock-bounded case. */
    boolean allowsFallenTokens(long time) {
        // Once tokens have fallen they stay low, so the excuse has no end.
        return faults.anyBefore(expected.fenceBreakers(), time);
    }

    int key(int event) {
        return Op.name(history.headers[event]);
    }

    String keyName(int event) {
        return history.name(key(event));
    }
}
