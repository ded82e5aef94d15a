package dev.interlock.bench;

import java.util.LinkedHashMap;
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
    private final Map<String, Turns> turns = new LinkedHashMap<>();
    private final Map<String, String> failures = new LinkedHashMap<>();

    WorkloadResult(Workload workload) {
        this.workload = workload;
    }

    void add(Contender contender, Sample sample) {
        turns.computeIfAbsent(contender.name(), name -> new Turns()).add(sample);
    }

    void failed(Contender contender, String why) {
        turns.remove(contender.name());
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
        return turns(contender).figures(metric);
    }

    /** One figure for all rounds; not a number if there is none. */
    public double summary(String contender, Metric metric) {
        return turns(contender).summaryWithout(Turns.NONE, metric);
    }

    private Turns turns(String contender) {
        return turns.getOrDefault(contender, new Turns());
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

    /**
     * One contender's figure divided by another's; the other may be {@link #BEST_PEER}. Of what threads did, each
     * side is summed up for itself, over its undisturbed rounds; other figures are divided within their rounds, and the median of these is taken.
     */
    public Quartiles ratio(Metric metric, String ours, String theirs) {
        return pairs(metric, ours, theirs).ratio(metric);
    }

    /** Whether a ratio would come out much the same if it was measured again, as far as the rounds can tell. */
    boolean isSure(Metric metric, String ours, String theirs) {
        return pairs(metric, ours, theirs).isSure(metric);
    }

    private Pairs pairs(Metric metric, String ours, String theirs) {
        String other = theirs.equals(BEST_PEER) ? bestPeer(metric).orElse(BEST_PEER) : theirs;
        return new Pairs(turns(ours), turns(other));
    }
}
