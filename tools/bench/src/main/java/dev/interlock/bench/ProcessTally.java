package dev.interlock.bench;

import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Collectors;
import org.HdrHistogram.Histogram;
import org.jspecify.annotations.Nullable;

/**
 * What one process counted in one turn. Encoded as one line between processes.
 *
 * @param nanos how long it counted
 * @param allocated heap bytes allocated in this time
 * @param threads what each thread counted
 */
record ProcessTally(long nanos, long allocated, List<ThreadTally> threads) {
    private static final String SEPARATOR = " ";

    ProcessTally {
        threads = List.copyOf(threads);
    }

    String encode() {
        return nanos
                + SEPARATOR
                + allocated
                + SEPARATOR
                + threads.stream().map(ThreadTally::encode).collect(Collectors.joining(SEPARATOR));
    }

    static ProcessTally decode(String line) {
        List<String> words = List.of(line.split(SEPARATOR, -1));
        return new ProcessTally(
                Long.parseLong(words.get(0)),
                Long.parseLong(words.get(1)),
                words.stream().skip(2).map(ThreadTally::decode).toList());
    }

    /**
     * Computes the metrics of a turn.
     *
     * @param processes what each process counted
     * @param counted the sum of the guarded counters
     * @param use what the server did from before the first operation until after the last; null if not measured
     */
    static Sample sample(List<ProcessTally> processes, long counted, ServerMeter.@Nullable Reading use) {
        List<ThreadTally> threads = new ArrayList<>();
        processes.forEach(process -> threads.addAll(process.threads));
        long all = threads.stream().mapToLong(ThreadTally::allOperations).sum();
        long increments = threads.stream().mapToLong(ThreadTally::increments).sum();
        Map<Metric, Double> figures = new EnumMap<>(Metric.class);
        figures.put(Metric.OPS, perSecond(processes));
        figures.put(Metric.NS_PER_OP, nanosPerOperation(threads));
        ThreadMeasurements measurements = ThreadMeasurements.of(threads);
        for (Metric metric : Metric.values()) {
            if (metric.isMeasuredByThreads()) {
                figures.put(metric, measurements.figure(metric));
            }
        }
        figures.put(Metric.ALLOCATED, allocatedPerOperation(processes, threads));
        figures.put(Metric.LOST_UPDATES, (double) (increments - counted));
        if (use != null) {
            figures.put(Metric.CALLS, use.calls() / all);
            figures.put(Metric.SERVER_CPU, use.cpuSeconds() * 1e6 / all);
        }
        return new Sample(figures, measurements);
    }

    private static double perSecond(List<ProcessTally> processes) {
        return processes.stream()
                .mapToDouble(process -> process.threads.stream()
                                .mapToLong(ThreadTally::operations)
                                .sum()
                        * 1e9
                        / process.nanos)
                .sum();
    }

    private static double nanosPerOperation(List<ThreadTally> threads) {
        Histogram batches = new Histogram(LoopWorker.MAX_NANOS, LoopWorker.DIGITS);
        threads.forEach(thread -> batches.add(thread.batches()));
        return batches.getTotalCount() == 0
                ? Double.NaN
                : (double) batches.getValueAtPercentile(50) / threads.get(0).timedEvery();
    }

    private static double allocatedPerOperation(List<ProcessTally> processes, List<ThreadTally> threads) {
        double allocated = processes.stream().mapToLong(ProcessTally::allocated).sum();
        double operations = threads.stream().mapToLong(ThreadTally::operations).sum();
        return Allocation.isMeasured() ? allocated / operations : Double.NaN;
    }
}
