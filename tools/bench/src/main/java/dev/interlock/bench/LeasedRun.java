package dev.interlock.bench;

import java.time.Duration;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** The leases of one contender in a {@link LeasedWorkload}, in its own process. Used by one thread. */
final class LeasedRun implements BenchWorkload.ContenderRun {
    private final LeasedWorkload workload;
    private final Contender contender;
    private final ServerMeter meter;
    private final Set<String> names;
    private final BenchProcesses processPool;
    private final BenchProcess process;
    private @Nullable Holding holding;

    /** Starts to acquire the leases without waiting, so that all contenders acquire at the same time. */
    LeasedRun(Contender contender, LeasedWorkload workload) {
        this.workload = workload;
        this.contender = contender;
        this.meter = contender
                .meter()
                .orElseThrow(() -> new IllegalArgumentException(contender.name() + " has no meter: give it one"));
        this.names = new HashSet<>(HeldLockSet.names(workload.name(), workload.locks()));
        this.processPool = workload.processPoolOf().apply(contender.name());
        this.process = processPool.take(1).get(0);
        process.send("hold " + workload.name() + ' ' + contender.name() + ' ' + workload.locks());
    }

    /** The state when all leases were held. */
    private record Holding(HeldLockSet.Footprint footprint, ServerMeter.Reading reading, long atNanos) {}

    /**
     * Measures from the previous turn on, because this contender keeps renewing during the turns of the others. The
     * first turn ends when all leases are held and measures nothing.
     */
    @Override
    public Sample turn(Duration length) throws InterruptedException {
        Holding before = holding;
        if (before == null) {
            HeldLockSet.Footprint footprint = HeldLockSet.Footprint.parse(process.answer());
            requireAllHeld();
            holding = new Holding(footprint, meter.read(), System.nanoTime());
            return new Sample(new EnumMap<>(Metric.class));
        }
        TimeUnit.NANOSECONDS.sleep(workload.renewal().toNanos() - (System.nanoTime() - before.atNanos));
        ServerMeter.Reading use = meter.read().since(before.reading);
        double seconds = (System.nanoTime() - before.atNanos) / 1e9;
        requireAllHeld();
        // Read again, so that the check whether all leases are held does not count as renewals.
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

    private static Sample sample(HeldLockSet.Footprint footprint, ServerMeter.Reading use, double seconds) {
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
        processPool.close();
    }
}
