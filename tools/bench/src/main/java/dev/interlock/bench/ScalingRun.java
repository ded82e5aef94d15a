package dev.interlock.bench;

import java.util.List;
import java.util.stream.IntStream;

/**
 * The same workload at several sizes, with the same contenders and metrics: how the cost of locks grows.
 *
 * @param name what grows; the first part of the names of the steps, for example {@code keys_1000}
 * @param title a short description
 * @param axis what the sizes count, for example {@code locks}
 * @param steps from the smallest size to the largest
 */
public record ScalingRun(String name, String title, String axis, List<Step> steps) {
    private static final int[] KEYS = {100, 1_000, 10_000, 100_000, 1_000_000};
    private static final int[] WAITERS = {10, 100, 1_000, 10_000};
    private static final int[] HELD = {100, 1_000, 10_000, 100_000};
    private static final int[] PROCESSES = {1, 2, 4, 8};

    /** Copies the list. */
    public ScalingRun {
        steps = List.copyOf(steps);
    }

    /** Uncontended locks out of 100 to 1 000 000. */
    public static ScalingRun ofKeys(Sized workload) {
        return of("keys", "8 threads acquire uncontended locks out of many", "locks", workload, KEYS);
    }

    /** 10 to 10 000 threads of one process that use one lock. */
    public static ScalingRun ofWaiters(Sized workload) {
        return of("waiters", "one lock passed between many threads of one process", "threads", workload, WAITERS);
    }

    /** 100 to 100 000 locks held at the same time. */
    public static ScalingRun ofHeldLocks(Sized workload) {
        return of("holding", "many locks held at the same time", "locks", workload, HELD);
    }

    /** One to eight processes that use one lock. */
    public static ScalingRun ofProcesses(Sized workload) {
        return of(
                "processes", "one lock passed between processes with 8 threads each", "processes", workload, PROCESSES);
    }

    /** Creates the workload of one size. */
    @FunctionalInterface
    public interface Sized {
        /** Creates the workload of this name and size. */
        BenchWorkload workload(String name, int size);
    }

    private static ScalingRun of(String name, String title, String axis, Sized workload, int... sizes) {
        return new ScalingRun(
                name,
                title,
                axis,
                IntStream.of(sizes)
                        .mapToObj(size ->
                                new Step(size, ScheduledWorkload.asStep(workload.workload(name + '_' + size, size))))
                        .toList());
    }

    /** This scaling run with only the named steps. */
    ScalingRun only(List<String> workloads) {
        return new ScalingRun(
                name,
                title,
                axis,
                steps.stream()
                        .filter(step -> workloads.contains(step.workload().name()))
                        .toList());
    }

    /** The contenders of every step. */
    public List<Contender> contenders() {
        return steps.get(0).workload().contenders();
    }

    /** The metrics of every step. */
    public List<Metric> metrics() {
        return steps.get(0).workload().metrics();
    }

    /**
     * One size.
     *
     * @param size the size
     * @param workload the workload of this size
     */
    public record Step(int size, BenchWorkload workload) {}
}
