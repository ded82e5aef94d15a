package dev.interlock.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * How what locks cost grows with something: the same workload in several sizes, with the same contenders and metrics.
 *
 * @param name what grows, in a word that lines for scripts begin with: a step is called {@code keys_1000}
 * @param title what is done
 * @param axis what the sizes count, for example {@code locks}
 * @param steps from the smallest size to the largest
 */
public record Growth(String name, String title, String axis, List<Step> steps) {
    private static final int[] KEYS = {100, 1_000, 10_000, 100_000, 1_000_000};
    private static final int[] WAITERS = {10, 100, 1_000, 10_000};
    private static final int[] HELD = {100, 1_000, 10_000, 100_000};
    private static final int[] PROCESSES = {1, 2, 4, 8};

    /** Copies the list. */
    public Growth {
        steps = List.copyOf(steps);
    }

    /** Free locks out of more and more, from a hundred to a million. */
    public static Growth ofKeys(Sized workload) {
        return of("keys", "8 threads take free locks out of many", "locks", workload, KEYS);
    }

    /** More and more threads of one process at one lock, from ten to ten thousand. */
    public static Growth ofWaiters(Sized workload) {
        return of("waiters", "one lock passed between many threads of one process", "threads", workload, WAITERS);
    }

    /** More and more locks that are held at once, from a hundred to a hundred thousand. */
    public static Growth ofHeldLocks(Sized workload) {
        return of("holding", "many locks held at once", "locks", workload, HELD);
    }

    /** More and more processes at one lock, from one to eight. */
    public static Growth ofProcesses(Sized workload) {
        return of(
                "processes", "one lock passed between processes with 8 threads each", "processes", workload, PROCESSES);
    }

    /** Makes the workload of a size. */
    @FunctionalInterface
    public interface Sized {
        /** The workload for so many, under this name. */
        Workload workload(String name, int size);
    }

    private static Growth of(String name, String title, String axis, Sized workload, int... sizes) {
        return new Growth(
                name,
                title,
                axis,
                IntStream.of(sizes)
                        .mapToObj(size -> new Step(size, Scheduled.asStep(workload.workload(name + '_' + size, size))))
                        .toList());
    }

    /** With some of its steps only. */
    Growth only(List<String> workloads) {
        return new Growth(
                name,
                title,
                axis,
                steps.stream()
                        .filter(step -> workloads.contains(step.workload().name()))
                        .toList());
    }

    /** Those who take part in every step. */
    public List<Contender> contenders() {
        return steps.get(0).workload().contenders();
    }

    /** What is measured in every step. */
    public List<Metric> metrics() {
        return steps.get(0).workload().metrics();
    }

    /**
     * One size.
     *
     * @param size how many
     * @param workload what is done with so many
     */
    public record Step(int size, Workload workload) {}
}
