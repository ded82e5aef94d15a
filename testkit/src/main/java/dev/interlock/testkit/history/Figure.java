package dev.interlock.testkit.history;

import java.util.Locale;

/**
 * One number of the report that a {@link Verdict} prints.
 *
 * @since 0.1.0
 */
public enum Figure {
    /** Complete events in all logs. */
    EVENTS("events", Unit.COUNT),
    /** Logs that were read. */
    PROCESSES("processes", Unit.COUNT),
    /** Slots that a killed process left unfinished. */
    UNFINISHED_SLOTS("unfinished slots", Unit.COUNT),
    /** Time from the first to the last event. */
    DURATION("duration", Unit.NANOS),
    /** Granted acquires. */
    GRANTS("grants", Unit.COUNT),
    /** Operations with an unknown outcome. */
    UNKNOWN_OUTCOMES("unknown outcomes", Unit.COUNT),
    /** Faults that were started. */
    FAULTS_INJECTED("faults injected", Unit.COUNT),
    /** Faults that were observed to act. */
    FAULTS_ACTED("faults acted", Unit.COUNT),
    /** Breaks of exclusivity that the fault model of the run allows. */
    EXPECTED_BREAKS("allowed exclusivity breaks", Unit.COUNT),
    /** The longest allowed break of exclusivity. */
    EXPECTED_BREAK_MAX("allowed exclusivity break max", Unit.NANOS),
    /** Breaks of token order in the declared clock-bounded case. */
    EXPECTED_FENCE_BREAKS("allowed token order breaks", Unit.COUNT),
    /** The longest overlap of windows that is a violation. */
    OVERLAP_MAX("max overlap", Unit.NANOS),
    /** Possible violations that lie within the clock bound. */
    UNDECIDABLE("undecidable", Unit.COUNT),
    /** The largest difference between the clocks of two processes. */
    CLOCK_BOUND("clock bound", Unit.NANOS),
    /** Writes and raises that the resource refused. */
    STALE_REFUSED("stale effects refused", Unit.COUNT),
    /** Writes and raises that the fenced resource accepted below a token that it had accepted before. */
    STALE_ACCEPTED("stale effects accepted", Unit.COUNT),
    /** Violations of H4. */
    LOST_UPDATES("lost updates", Unit.COUNT),
    /** Stale effects in the unfenced control. Should not be zero if the faults do harm. */
    CONTROL_STALE_ACCEPTED("unfenced control: stale accepted", Unit.COUNT),
    /** Lost updates in the unfenced control. */
    CONTROL_LOST_UPDATES("unfenced control: lost updates", Unit.COUNT),
    /** Keys that are held at rest without a reason. */
    STUCK_AT_REST("stuck at rest", Unit.COUNT),
    /** From the end of an unreleased validity, or from the request if that is later, to the next grant. */
    TAKEOVER_P50("takeover p50", Unit.NANOS),
    /** See {@link #TAKEOVER_P50}. */
    TAKEOVER_P99("takeover p99", Unit.NANOS),
    /** See {@link #TAKEOVER_P50}. */
    TAKEOVER_MAX("takeover max", Unit.NANOS),
    /** From the end of a fault to the first grant. */
    HEAL_P50("first grant after heal p50", Unit.NANOS),
    /** See {@link #HEAL_P50}. */
    HEAL_P99("first grant after heal p99", Unit.NANOS),
    /** See {@link #HEAL_P50}. */
    HEAL_MAX("first grant after heal max", Unit.NANOS),
    /** From the end of a validity to the loss notice, without declared pauses. */
    NOTICE_P50("loss notice delay p50", Unit.NANOS),
    /** See {@link #NOTICE_P50}. */
    NOTICE_P99("loss notice delay p99", Unit.NANOS),
    /** See {@link #NOTICE_P50}. */
    NOTICE_MAX("loss notice delay max", Unit.NANOS),
    /** Events checked per second. */
    EVENTS_PER_SECOND("events checked per second", Unit.COUNT);

    enum Unit {
        COUNT,
        NANOS
    }

    private final String label;
    private final Unit unit;

    Figure(String label, Unit unit) {
        this.label = label;
        this.unit = unit;
    }

    /** The label for tables. */
    public String label() {
        return label;
    }

    String format(long value) {
        return unit == Unit.COUNT ? String.format(Locale.ROOT, "%,d", value) : EventText.duration(value);
    }
}
