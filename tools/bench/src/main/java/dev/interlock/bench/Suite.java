package dev.interlock.bench;

import java.util.ArrayList;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;

/**
 * Workloads that are reported together, and what is expected of them.
 *
 * @param name the first part of the lines for scripts
 * @param workloads in the order in which they run
 * @param growths workloads in several sizes, which run after the others
 * @param goals what the report judges
 */
public record Suite(String name, List<Workload> workloads, List<Growth> growths, List<Goal> goals) {
    /** Where workloads are chosen, this word stands for all growths. */
    public static final String GROWTH = "growth";

    /** Copies the lists. */
    public Suite {
        workloads = List.copyOf(workloads);
        growths = List.copyOf(growths);
        goals = List.copyOf(goals);
    }

    /** Everything that runs, in its order. */
    public List<Workload> all() {
        List<Workload> all = new ArrayList<>(workloads);
        growths.forEach(growth -> growth.steps().forEach(step -> all.add(step.workload())));
        return all;
    }

    /** This suite without its growths, which take as long as the rest. */
    public Suite withoutGrowths() {
        return new Suite(name, workloads, List.of(), goals);
    }

    /**
     * This suite with some of its workloads only, and the goals for them. A growth may be named as a whole, and {@link #GROWTH} names all
     * of them.
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
                growths.stream()
                        .map(growth -> growth.only(kept))
                        .filter(growth -> !growth.steps().isEmpty())
                        .toList(),
                goals.stream().filter(goal -> kept.contains(goal.workload())).toList());
    }

    /** How much of the time of a suite these workloads of it have; growths take as long as they take. */
    public double partOf(Suite whole) {
        return (double) share() / whole.share();
    }

    private int share() {
        return workloads.stream().mapToInt(Workload::share).sum();
    }

    /**
     * Refuses a schedule that suits some workload badly, which may divide turns or make them longer: before servers are started for it.
     *
     * @throws IllegalArgumentException if there is such a workload
     */
    public void check(Schedule schedule) {
        for (Workload workload : all()) {
            try {
                workload.within(schedule);
            } catch (IllegalArgumentException e) {
                throw new IllegalArgumentException(
                        "The schedule does not suit " + workload.name() + ", which makes its own of it: there "
                                + e.getMessage(),
                        e);
            }
        }
    }

    private List<String> namedBy(String wanted) {
        List<String> named = new ArrayList<>();
        all().stream().map(Workload::name).filter(wanted::equals).forEach(named::add);
        for (Growth growth : growths) {
            if (wanted.equals(GROWTH) || wanted.equals(growth.name())) {
                growth.steps().forEach(step -> named.add(step.workload().name()));
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
                new ArrayList<>(workloads.stream().map(Workload::name).toList());
        growths.forEach(growth -> choices.add(growth.name()));
        if (!growths.isEmpty()) {
            choices.add(GROWTH);
        }
        return choices;
    }
}
