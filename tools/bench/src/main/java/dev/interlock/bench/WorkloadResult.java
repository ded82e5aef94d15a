package dev.interlock.bench;

import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * What the contenders measured in the rounds of one workload.
 *
 * <p>Contenders are found by name. One that failed has no figures, and the report says why.
 */
public final class WorkloadResult {
    /** Stands for the peer with the best figure, whichever that is. */
    public static final String BEST_PEER = "best_peer";

    private final Workload workload;
    private final Map<String, List<Sample>> samples = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    WorkloadResult(Workload workload) {
        this.workload = workload;
    }

    void add(Contender contender, Sample sample) {
        samples.computeIfAbsent(contender.name(), name -> new ArrayList<>()).add(sample);
    }

    void failed(Contender contender, String why) {
        samples.remove(contender.name());
        failures.put(contender.name(), why);
    }

    /** What was done. */
    public Workload workload() {
        return workload;
    }

    /** Why a contender has no figures; empty if it has. */
    public Optional<String> failureOf(String contender) {
        return Optional.ofNullable(failures.get(contender));
    }

    /** One figure of each round, in their order. */
    public double[] rounds(String contender, Metric metric) {
        return samples.getOrDefault(contender, List.of()).stream()
                .mapToDouble(sample -> sample.get(metric))
                .toArray();
    }

    /** One figure for all rounds; not a number if there is none. */
    public double summary(String contender, Metric metric) {
        double[] rounds = rounds(contender, metric);
        return rounds.length == 0 ? Double.NaN : metric.summary(rounds);
    }

    /** The peer with the best figure; empty if no peer has one. */
    public Optional<String> bestPeer(Metric metric) {
        Optional<String> best = Optional.empty();
        for (Contender contender : workload.contenders()) {
            double figure = summary(contender.name(), metric);
            if (contender.isPeer()
                    && !Double.isNaN(figure)
                    && (best.isEmpty() || metric.isBetter(figure, summary(best.get(), metric)))) {
                best = Optional.of(contender.name());
            }
        }
        return best;
    }

    /** One contender's figure divided by another's, each within its round; the other may be {@link #BEST_PEER}. */
    public Quartiles ratio(Metric metric, String ours, String theirs) {
        String other = theirs.equals(BEST_PEER) ? bestPeer(metric).orElse(BEST_PEER) : theirs;
        double[] dividends = rounds(ours, metric);
        double[] divisors = rounds(other, metric);
        double[] ratios = new double[Math.min(dividends.length, divisors.length)];
        for (int i = 0; i < ratios.length; i++) {
            ratios[i] = dividends[i] / divisors[i];
        }
        return Quartiles.of(ratios);
    }
}
