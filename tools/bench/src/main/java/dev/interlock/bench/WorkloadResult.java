package dev.interlock.bench;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Optional;

/**
 * The results of all contenders in the rounds of one workload.
 *
 * <p>Contenders are identified by name. One that failed has no values; the report says why.
 */
public final class WorkloadResult {
    /** Stands for the peer with the best value. */
    public static final String BEST_PEER = "best_peer";

    private final BenchWorkload workload;
    private final Map<String, ContenderTurns> turns = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    WorkloadResult(BenchWorkload workload) {
        this.workload = workload;
    }

    void add(Contender contender, Sample sample) {
        turns.computeIfAbsent(contender.name(), name -> new ContenderTurns()).add(sample);
    }

    void failed(Contender contender, String why) {
        turns.remove(contender.name());
        failures.put(contender.name(), why);
    }

    /** The workload. */
    public BenchWorkload workload() {
        return workload;
    }

    /** Why a contender failed; empty if it did not. */
    public Optional<String> failureOf(String contender) {
        return Optional.ofNullable(failures.get(contender));
    }

    /** The value of each round. */
    public double[] rounds(String contender, Metric metric) {
        return turns(contender).figures(metric);
    }

    /** The summary of all rounds; NaN if there is none. */
    public double summary(String contender, Metric metric) {
        return turns(contender).summaryWithout(ContenderTurns.NONE, metric);
    }

    private ContenderTurns turns(String contender) {
        return turns.getOrDefault(contender, new ContenderTurns());
    }

    /** The peer with the best value; empty if no peer has one. */
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

    /**
     * One contender's value divided by another's, which may be {@link #BEST_PEER}. Metrics of threads are summarized
     * per contender over undisturbed rounds and then divided. Other metrics are divided within each round, and the
     * median is the result.
     */
    public Quartiles ratio(Metric metric, String ours, String theirs) {
        return pairs(metric, ours, theirs).ratio(metric);
    }

    /** Whether a second measurement would give about the same ratio, as far as the rounds show. */
    boolean isSure(Metric metric, String ours, String theirs) {
        return pairs(metric, ours, theirs).isSure(metric);
    }

    private Comparison pairs(Metric metric, String ours, String theirs) {
        String other = theirs.equals(BEST_PEER) ? bestPeer(metric).orElse(BEST_PEER) : theirs;
        return new Comparison(turns(ours), turns(other));
    }
}
