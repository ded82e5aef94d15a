package dev.interlock.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What one process counted in one turn. Travels between processes as one line.
 *
 * @param nanos how long it was counted
 * @param allocated bytes on the heap while it was counted
 * @param threads what each thread counted
 */
record ProcessTally(long nanos, long allocated, List<Tally> threads) {
    private static final String SEPARATOR = " ";

    ProcessTally {
        threads = List.copyOf(threads);
    }

    String encode() {
        return nanos
                + SEPARATOR
                + allocated
                + SEPARATOR
                + threads.stream().map(Tally::encode).collect(Collectors.joining(SEPARATOR));
    }

    static ProcessTally decode(String line) {
        List<String> words = List.of(line.split(SEPARATOR, -1));
        return new ProcessTally(
                Long.parseLong(words.get(0)),
                Long.parseLong(words.get(1)),
                words.stream().skip(2).map(Tally::decode).toList());
    }

    /**
     * The figures of a turn.
     *
     * @param processes what each process counted
     * @param counted what the guarded counters say
     * @param use what the server did for it from before the first operation until after the last; null if nobody asked
     */
    static Sample sample(List<ProcessTally> processes, long counted, ServerMeter.@Nullable Reading use) {
        List<Tally> threads = new ArrayList<>();
        processes.forEach(process -> threads.addAll(process.threads));
        long all = threads.stream().mapToLong(Tally::allOperations).sum();
        long increments = threads.stream().mapToLong(Tally::increments).sum();
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.OPS, perSecond(processes));
        addTimes(figures, threads);
        figures.put(Metric.SHARE, share(threads));
        figures.put(Metric.ALLOCATED, allocatedPerOperation(processes, threads));
        figures.put(Metric.LOST_UPDATES, (double) (increments - counted));
        if (use != null) {
            figures.put(Metric.CALLS, use.calls() / all);
            figures.put(Metric.SERVER_CPU, use.cpuSeconds() * 1e6 / all);
        }
        return new Sample(figures);
    }

    private static double perSecond(List<ProcessTally> processes) {
        return processes.stream()
                .mapToDouble(process ->
                        process.threads.stream().mapToLong(Tally::operations).sum() * 1e9 / process.nanos)
                .sum();
    }

    private static void addTimes(Map<Metric, Double> figures, List<Tally> threads) {
        Histogram waits = new Histogram(3);
        Histogram batches = new Histogram(3);
        for (Tally thread : threads) {
            waits.add(thread.waits());
            batches.add(thread.batches());
        }
        figures.put(Metric.NS_PER_OP, percentile(batches, 50) / threads.get(0).timedEvery());
        figures.put(Metric.P50, percentile(waits, 50) / 1e6);
        figures.put(Metric.P99, percentile(waits, 99) / 1e6);
        figures.put(Metric.P999, percentile(waits, 99.9) / 1e6);
    }

    private static double share(List<Tally> threads) {
        long[] sorted = threads.stream().mapToLong(Tally::operations).sorted().toArray();
        return (double) sorted[sorted.length - 1] / sorted[0];
    }

    private static double allocatedPerOperation(List<ProcessTally> processes, List<Tally> threads) {
        double allocated = processes.stream().mapToLong(ProcessTally::allocated).sum();
        double operations = threads.stream().mapToLong(Tally::operations).sum();
        return Allocation.isMeasured() ? allocated / operations : Double.NaN;
    }

    private static double percentile(Histogram nanos, double percentile) {
        return nanos.getTotalCount() == 0 ? Double.NaN : nanos.getValueAtPercentile(percentile);
    }
}
