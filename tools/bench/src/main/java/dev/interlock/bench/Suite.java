package dev.interlock.bench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Workloads that run and are reported together, with their goals.
 *
 * @param name the first part of the lines for scripts
 * @param workloads in the order in which they run
 * @param scalingRuns the scaling runs, which run after the workloads
 * @param goals the goals that the report checks
 */
public record Suite(String name, List<BenchWorkload> workloads, List<ScalingRun> scalingRuns, List<Goal> goals) {
    /** The name that selects all scaling runs. */
    public static final String GROWTH = "growth";

    /** Copies the lists. */
    public Suite {
        workloads = List.copyOf(workloads);
        scalingRuns = List.copyOf(scalingRuns);
        goals = List.copyOf(goals);
    }

    /** All workloads in the order in which they run, including the steps of scaling runs. */
    public List<BenchWorkload> all() {
        List<BenchWorkload> all = new ArrayList<>(workloads);
        scalingRuns.forEach(scalingRun -> scalingRun.steps().forEach(step -> all.add(step.workload())));
        return all;
    }

    /** This suite without its scaling runs, which take as long as the rest. */
    public Suite withoutScalingRuns() {
        return new Suite(name, workloads, List.of(), goals);
    }

    /**
     * This suite with only the named workloads and their goals. A name may also be that of a scaling run, or {@link
     * #GROWTH} for all scaling runs.
     *
     * @throws IllegalArgumentException if a name is unknown
     */
    public Suite only(List<String> names) {
        Set<String> chosen = new LinkedHashSet<>();
        names.forEach(wanted -> chosen.addAll(namedBy(wanted)));
        List<String> kept = List.copyOf(chosen);
        return new Suite(
                name,
                workloads.stream().filter(one -> kept.contains(one.name())).toList(),
                scalingRuns.stream()
                        .map(scalingRun -> scalingRun.only(kept))
                        .filter(scalingRun -> !scalingRun.steps().isEmpty())
                        .toList(),
                goals.stream().filter(goal -> kept.contains(goal.workload())).toList());
    }

    /** The fraction of the suite's time that these workloads get. Scaling runs have no share. */
    public double partOf(Suite whole) {
        return (double) share() / whole.share();
    }

    private int share() {
        return workloads.stream().mapToInt(BenchWorkload::share).sum();
    }

    /**
     * Rejects a schedule from which a workload cannot derive its own. Called before servers start.
     *
     * @throws IllegalArgumentException if there is such a workload
     */
    public void check(Schedule schedule) {
        for (BenchWorkload workload : all()) {
            try {
                workload.within(schedule);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "The schedule does not suit " + workload.name() + ", which derives its own from it: "
                                + e.getMessage(),
                        e);
            }
        }
    }

    private List<String> namedBy(String wanted) {
        List<String> named = new ArrayList<>();
        all().stream().map(BenchWorkload::name).filter(wanted::equals).forEach(named::add);
        for (ScalingRun scalingRun : scalingRuns) {
            if (wanted.equals(GROWTH) || wanted.equals(scalingRun.name())) {
                scalingRun.steps().forEach(step -> named.add(step.workload().name()));
            }
        }
        if (named.isEmpty()) {
            throw new IllegalArgumentException("There is no workload \"" + wanted + "\" in the suite " + name
                    + ": choose from " + String.join(", ", choices()));
        }
        return named;
    }

    private List<String> choices() {
        List<String> choices =
                new ArrayList<>(workloads.stream().map(BenchWorkload::name).toList());
        scalingRuns.forEach(scalingRun -> choices.add(scalingRun.name()));
        if (!scalingRuns.isEmpty()) {
            choices.add(GROWTH);
        }
        return choices;
    }
}
