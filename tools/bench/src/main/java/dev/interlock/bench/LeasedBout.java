package dev.interlock.bench;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The leases of one contender at a {@link LeasedWorkload}, in a process of its own. Used by one thread. */
final class LeasedBout implements Workload.Bout {
    private final LeasedWorkload workload;
    private final Contender contender;
    private final ServerMeter meter;
    private final Set<String> names;
    private final Children children;
    private final Child child;
    private @Nullable Holding holding;

    /** Lets the contender acquire, and does not wait for that: others shall do so at the same time. */
    LeasedBout(Contender contender, LeasedWorkload workload) {
        this.workload = workload;
        this.contender = contender;
        this.meter = contender
                .meter()
                .orElseThrow(() -> new IllegalArgumentException(contender.name() + " has no meter: give it one"));
        this.names = new HashSet<>(Hoard.names(workload.name(), workload.locks()));
        this.children = workload.childrenOf().apply(contender.name());
        this.child = children.take(1).get(0);
        child.tell("hold " + workload.name() + ' ' + contender.name() + ' ' + workload.locks());
    }

    /** All leases are held, and this was so. */
    private record Holding(Hoard.Footprint footprint, ServerMeter.Reading reading, long atNanos) {}

    /**
     * Counts from the turn before: while the others had theirs, this contender went on as well. The first turn ends when all
     * leases are held, and has no figures.
     */
    @Override
    public Sample turn(Duration length) throws InterruptedException {
        Holding before = holding;
        if (before == null) {
            Hoard.Footprint footprint = Hoard.Footprint.parse(child.answer());
            requireAllHeld();
            holding = new Holding(footprint, meter.read(), System.nanoTime());
            return new Sample(new EnumMap<>(Metric.class));
        }
        TimeUnit.NANOSECONDS.sleep(workload.renewal().toNanos() - (System.nanoTime() - before.atNanos));
        ServerMeter.Reading use = meter.read().since(before.reading);
        double seconds = (System.nanoTime() - before.atNanos) / 1e9;
        requireAllHeld();
        // Read again: what was asked to see that all are held is nobody's renewal.
        holding = new Holding(before.footprint, meter.read(), System.nanoTime());
        return sample(before.footprint, use, seconds);
    }

    private void requireAllHeld() {
        long held = workload.held().applyAsLong(contender.name(), names);
        if (held < workload.locks()) {
            throw new BenchException(
                    contender.name() + " at " + workload.name() + " lost leases: of " + workload.locks()
                            + " the server has " + held,
                    null);
        }
    }

    private static Sample sample(Hoard.Footprint footprint, ServerMeter.Reading use, double seconds) {
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.COMMANDS_PER_SECOND, use.commands() / seconds);
        figures.put(Metric.CALLS_PER_SECOND, use.calls() / seconds);
        figures.put(Metric.SERVER_LOAD, use.cpuSeconds() * 1e6 / seconds);
        figures.put(Metric.HEAP, footprint.heapBytes());
        figures.put(Metric.THREADS, (double) footprint.threads());
        return new Sample(figures);
    }

    @Override
    public void close() {
        children.close();
    }
}
