package dev.interlock.testkit.workers;

import dev.interlock.testkit.workers.CriticalSection.Outcome;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.atomic.LongAdder;

/** Counts what happens in a worker. Thread-safe. */
final class WorkerCounts {
    private final LongAdder grants = new LongAdder();
    private final LongAdder losses = new LongAdder();
    private final LongAdder errors = new LongAdder();
    private final Map<Outcome, LongAdder> outcomes = new EnumMap<>(Outcome.class);

    WorkerCounts() {
        for (Outcome outcome : Outcome.values()) {
            outcomes.put(outcome, new LongAdder());
        }
    }

    void granted() {
        grants.increment();
    }

    void lost() {
        losses.increment();
    }

    void error() {
        errors.increment();
    }

    @SuppressWarnings("NullAway") // the map has every outcome
    void ended(Outcome outcome) {
        outcomes.get(outcome).increment();
    }

    Progress progress() {
        Map<Outcome, Long> counts = new EnumMap<>(Outcome.class);
        outcomes.forEach((outcome, count) -> counts.put(outcome, count.sum()));
        return new Progress(grants.sum(), losses.sum(), errors.sum(), counts);
    }
}
