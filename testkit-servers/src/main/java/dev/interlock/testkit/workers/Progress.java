package dev.interlock.testkit.workers;

import dev.interlock.testkit.workers.CriticalSection.Outcome;
import java.util.EnumMap;
import java.util.Map;

/**
 * How many sections a worker has ended, by outcome, since it started.
 *
 * @param grants how often it was granted a lock
 * @param lost how many losses were reported to it
 * @param errors how many exceptions were thrown that the API does not document; must be 0
 * @param outcomes how the sections ended
 * @since 0.1.0
 */
public record Progress(long grants, long lost, long errors, Map<Outcome, Long> outcomes) {
    /** Copies the map. */
    public Progress {
        outcomes = Map.copyOf(outcomes);
    }

    /** Nothing yet. */
    static Progress none() {
        return new Progress(0, 0, 0, Map.of());
    }

    /** How many sections had this outcome. */
    public long of(Outcome outcome) {
        return outcomes.getOrDefault(outcome, 0L);
    }

    /** The sum of both. */
    public Progress plus(Progress other) {
        Map<Outcome, Long> sum = new EnumMap<>(Outcome.class);
        sum.putAll(outcomes);
        other.outcomes.forEach((outcome, count) -> sum.merge(outcome, count, Long::sum));
        return new Progress(grants + other.grants, lost + other.lost, errors + other.errors, sum);
    }

    WorkerMessage writeTo(WorkerMessage message) {
        WorkerMessage written =
                message.with("grants", grants).with("lost", lost).with("errors", errors);
        for (Map.Entry<Outcome, Long> entry : outcomes.entrySet()) {
            written = written.with(entry.getKey().name(), entry.getValue());
        }
        return written;
    }

    static Progress readFrom(WorkerMessage message) {
        Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            if (message.has(outcome.name())) {
                outcomes.put(outcome, message.number(outcome.name()));
            }
        }
        return new Progress(message.number("grants"), message.number("lost"), message.number("errors"), outcomes);
    }
}
