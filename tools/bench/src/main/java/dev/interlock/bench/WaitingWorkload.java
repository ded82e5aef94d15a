package dev.interlock.bench;

import java.util.List;

/**
 * One who waits for a lock that another one holds all the time: what waiting costs the server.
 *
 * <p>Each of the two has opened the contender for itself, as two processes would.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part; each has a meter
 */
public record WaitingWorkload(String name, String title, List<Contender> contenders) implements Workload {
    /** Copies the list. */
    public WaitingWorkload {
        contenders = List.copyOf(contenders);
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.CALLS_PER_SECOND);
    }

    /** It hardly varies what waiting costs. */
    @Override
    public boolean gainsByRounds() {
        return false;
    }

    @Override
    public Bout prepare(Contender contender) {
        return new WaitingBout(contender, this);
    }
}
