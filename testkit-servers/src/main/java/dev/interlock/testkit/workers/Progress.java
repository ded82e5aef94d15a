package dev.interlock.testkit.workers;

import dev.interlock.testkit.workers.Section.Outcome;
import java.util.EnumMap;
import java.util.Map;

/**
 * How many sections a worker has ended, by outcome, since it started.
 *
 * @param grants how often it had the lock
 * @param lost how often it was told that a lease is lost
 * @param errors how often something was thrown that the API does not document; must stay 0
 * @param outcomes how the sections ended
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

    /** How many sections ended so. */
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

    Message writeTo(Message message) {
        Message said = message.with("grants", grants).with("lost", lost).with("errors", errors);
        for (Map.Entry<Outcome, Long> entry : outcomes.entrySet()) {
            said = said.with(entry.getKey().name(), entry.getValue());
        }
        return said;
    }

    static Progress readFrom(Message message) {
        Map<Outcome, Long> outcomes = new EnumMap<>(Outcome.class);
        for (Outcome outcome : Outcome.values()) {
            if (message.has(outcome.name())) {
                outcomes.put(outcome, message.number(outcome.name()));
            }
        }
        return new Progress(message.number("grants"), message.number("lost"), message.number("errors"), outcomes);
    }
}
