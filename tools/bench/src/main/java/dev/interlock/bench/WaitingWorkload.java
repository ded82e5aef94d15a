package dev.interlock.bench;

import java.util.List;

/**
 * One client waits for a lock that another one holds: what waiting costs the server.
 *
 * <p>Holder and waiter each open the contender, like two processes.
 *
 * @param name the name in reports
 * @param title a short description
 * @param contenders the contenders; each has a meter
 */
public record WaitingWorkload(String name, String title, List<Contender> contenders) implements BenchWorkload {
    /** Copies the list. */
    public WaitingWorkload {
        contenders = List.copyOf(contenders);
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.CALLS_PER_SECOND);
    }

    /** The cost of waiting hardly varies. */
    @Override
    public boolean benefitsFromMoreRounds() {
        return false;
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        return new WaitingRun(contender, this);
    }
}
