package dev.interlock.bench;

import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.IntStream;

/**
 * Many locks that are held at the same time: what they cost while they are.
 *
 * <p>A turn takes as long as it takes. The contender is opened in each turn, so that its threads can be counted.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part
 * @param locks how many locks
 */
public record HeldWorkload(String name, String title, List<Contender> contenders, int locks) implements Workload {
    /** Copies the list. */
    public HeldWorkload {
        contenders = List.copyOf(contenders);
    }

    @Override
    public List<Metric> metrics() {
        return List.of(Metric.HEAP, Metric.THREADS, Metric.ACQUIRE, Metric.RELEASE);
    }

    @Override
    public Bout prepare(Contender contender) {
        List<String> names =
                IntStream.range(0, locks).mapToObj(i -> "bench:held-" + i).toList();
        return new Bout() {
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
            long heapBefore = Heap.occupied();
            long acquiring = System.nanoTime();
            for (String name : names) {
                held.add(locking.hold(name));
            }
            long acquired = System.nanoTime();
            long heap = Heap.occupied() - heapBefore;
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
