package dev.interlock.testkit.history;

import java.util.Arrays;

/**
 * H3 and H4, in the order of the logs of one resource: accepted tokens never fall, and each write was based on the
 * value before it.
 *
 * <p>In the logs of an unfenced resource the same breaks are only counted. They show that the faults do harm.
 */
final class ResourceCheck {
    private final Run run;
    private final History history;
    private final Findings findings;
    private final boolean fenced;
    private final EventTable acceptedValues;
    // Event + 1, by key: the accepted effect with the highest token, and the event that shows the current value.
    private final int[] highest;
    private final int[] latest;
    // By key: the time of the last write.
    private final long[] written;
    private long refused;
    private long stale;
    private long lost;

    ResourceCheck(Run run, Findings findings, boolean fenced, EventTable acceptedValues) {
        this.run = run;
        this.history = run.history;
        this.findings = findings;
        this.fenced = fenced;
        this.acceptedValues = acceptedValues;
        this.highest = new int[history.nameCount()];
        this.latest = new int[history.nameCount()];
        this.written = new long[history.nameCount()];
        Arrays.fill(written, Long.MIN_VALUE);
    }

    /** Receives the next event in the order of the log. */
    void onEvent(int event) {
        Op op = Op.of(history.headers[event]);
        boolean accepted = Op.Phase.of(history.headers[event]) == Op.Phase.OK;
        if (!accepted) {
            refused++;
            return;
        }
        if (op == Op.READ) {
            compareValue(event, history.a[event], "read");
            updateHighest(event);
            return;
        }
        compareToken(event);
        if (op == Op.WRITE) {
            compareValue(event, history.a[event], "wrote from");
            if (fenced) {
                acceptedValues.putIfAbsent(event);
            }
            updateHighest(event);
            written[run.key(event)] = Math.max(written[run.key(event)], history.times[event]);
        }
    }

    /** Checks the final value of the resource. A write after this event does not affect it. */
    void onFinalRead(int event) {
        if (written[run.key(event)] < history.times[event] - run.boundNanos()) {
            compareValue(event, history.a[event], "finally read");
        } else {
            findings.undecidable();
        }
    }

    long refused() {
        return refused;
    }

    long stale() {
        return stale;
    }

    long lost() {
        return lost;
    }

    private void compareToken(int event) {
        int key = run.key(event);
        int before = highest[key] - 1;
        if (before < 0 || history.tokens[before] < history.tokens[event]) {
            highest[key] = event + 1;
            return;
        }
        boolean lower = history.tokens[before] > history.tokens[event];
        if (!lower && history.owners[before] == history.owners[event]) {
            return;
        }
        stale++;
        if (fenced) {
            findings.fenceBroken(
                    Invariant.H3_NO_STALE_EFFECT,
                    history.times[event],
                    () -> "the resource accepted token " + history.tokens[event] + " after token "
                            + history.tokens[before] + (lower ? "." : " of another owner."),
                    before,
                    event);
        }
    }

    private void updateHighest(int event) {
        latest[run.key(event)] = event + 1;
    }

    private void compareValue(int event, long value, String how) {
        int before = latest[run.key(event)] - 1;
        if (before < 0 || value == valueAfter(before)) {
            return;
        }
        lost++;
        if (fenced) {
            findings.fenceBroken(
                    Invariant.H4_NO_LOST_UPDATE,
                    history.times[event],
                    () -> "a client " + how + " value " + value + " when the resource had value " + valueAfter(before)
                            + ".",
                    readOf(event),
                    before,
                    event);
        }
    }

    private long valueAfter(int event) {
        return Op.of(history.headers[event]) == Op.READ ? history.a[event] : history.b[event];
    }

    /** The read on which a write was based. Used only for the explanation, so a search backwards is fast enough. */
    private int readOf(int write) {
        for (int event = write - 1; event >= 0 && Op.of(history.headers[write]) == Op.WRITE; event--) {
            if (history.attempts[event] == history.attempts[write] && Op.of(history.headers[event]) == Op.READ) {
                return event;
            }
        }
        return -1;
    }
}
