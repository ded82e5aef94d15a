package dev.interlock.bench;

import java.util.List;

/**
 * Workloads that are reported together, and what is expected of them.
 *
 * @param name the first part of the lines for scripts
 * @param workloads in the order in which they run
 * @param goals what the report judges
 */
public record Suite(String name, List<Workload> workloads, List<Goal> goals) {
    /** Copies the lists. */
    public Suite {
        workloads = List.copyOf(workloads);
        goals = List.copyOf(goals);
    }

    /**
     * This suite with some of its workloads only, and the goals for them.
     *
     * @throws IllegalArgumentException if a name is unknown
     */
    public Suite only(List<String> names) {
        List<String> known = workloads.stream().map(Workload::name).toList();
        for (String wanted : names) {
            if (!known.contains(wanted)) {
                throw new IllegalArgumentException("There is no workload \"" + wanted + "\" in the suite " + name
                        + ": choose from " + String.join(", ", known));
            }
        }
        return new Suite(
                name,
                workloads.stream().filter(one -> names.contains(one.name())).toList(),
                goals.stream().filter(goal -> names.contains(goal.workload())).toList());
    }
}
