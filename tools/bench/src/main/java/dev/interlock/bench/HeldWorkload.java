package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Many locks held at the same time: what they cost while they are held.
 *
 * <p>A turn takes as long as it takes. Each turn opens the contender again, so that its threads can be counted.
 *
 * @param name the name in reports
 * @param title a short description
 * @param contenders the contenders
 * @param locks the number of locks
 */
public record HeldWorkload(String name, String title, List<Contender> contenders, int locks) implements BenchWorkload {
    /** Copies the list. */
    public HeldWorkload {
        contenders = List.copyOf(contenders);
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.HEAP, Metric.THREADS, Metric.ACQUIRE, Metric.RELEASE);
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        List<String> names =
                IntStream.range(0, locks).mapToObj(i -> "bench:held-" + i).toList();
        return new ContenderRun() {
            @Override
            public Sample turn(Duration length) {
                try {
                    return measure(contender, names);
                } catch (RuntimeException e) {
                    throw new BenchException(contender.name() + " at " + name + " failed", e);
                }
            }

            @Override
            public void close() {}
        };
    }

    private static Sample measure(Contender contender, List<String> names) {
        int threadsBefore = ManagementFactory.getThreadMXBean().getThreadCount();
        try (Locking locking = contender.opener().get()) {
            List<Runnable> held = new ArrayList<>(names.size());
            long heapBefore = HeapUsage.occupied();
            long acquiring = System.nanoTime();
            for (String name : names) {
                held.add(locking.hold(name));
            }
            long acquired = System.nanoTime();
            long heap = HeapUsage.occupied() - heapBefore;
            int threads = ManagementFactory.getThreadMXBean().getThreadCount() - threadsBefore;
            long releasing = System.nanoTime();
            held.forEach(Runnable::run);
            long released = System.nanoTime();
            Map<Metric, Double> figures = new EnumMap<>(Metric.class);
            figures.put(Metric.HEAP, (double) heap / names.size());
            figures.put(Metric.THREADS, (double) threads);
            figures.put(Metric.ACQUIRE, (acquired - acquiring) / 1e3 / names.size());
            figures.put(Metric.RELEASE, (released - releasing) / 1e3 / names.size());
            return new Sample(figures);
        }
    }
}
