package dev.interlock.bench;

import java.nio.file.Path;
import java.util.List;

/**
 * Processes that use the same lock.
 *
 * @param name the name in reports
 * @param title a short description
 * @param contenders the contenders; the processes find them by name
 * @param metrics the metrics to report
 * @param processPool the processes
 * @param processes how many processes
 * @param task what each process does
 */
public record ProcessWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        BenchProcesses processPool,
        int processes,
        Task task)
        implements BenchWorkload {
    private static final int THREADS_OF_EACH = 8;

    /** Threads of several processes that use the same lock. */
    public static ProcessWorkload hot(
            String name, int processes, List<Contender> contenders, List<Metric> metrics, BenchProcesses processPool) {
        return new ProcessWorkload(
                name,
                "one lock passed between " + processes + " processes with " + THREADS_OF_EACH + " threads each",
                contenders,
                metrics,
                processPool,
                processes,
                new Task.Threads(THREADS_OF_EACH));
    }

    /**
     * Two processes that pass a lock back and forth.
     *
     * @param fastTurns the number of warm-up turns with fast hand-overs. A normal turn has only a hundred hand-overs
     *     per second, and the JIT compiler needs thousands
     */
    public static ProcessWorkload handOff(
            List<Contender> contenders, List<Metric> metrics, BenchProcesses processPool, int fastTurns) {
        return new ProcessWorkload(
                "handoff_2p",
                "one lock passed back and forth between 2 processes; times from the call of release until the other"
                        + " process holds it",
                contenders,
                metrics,
                processPool,
                2,
                new Task.HandOff(fastTurns));
    }

    /** Copies the lists. */
    public ProcessWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    /** What each process of a workload does. */
    public sealed interface Task {
        /** The arguments of the command {@code open} for a process. */
        String words(Path file, int process);

        /** The number of updates according to the guarded counters. */
        long counted(Counters counters);

        /**
         * Threads that acquire and release as fast as they can.
         *
         * @param count the number of threads per process
         */
        record Threads(int count) implements Task {
            @Override
            public String words(Path file, int process) {
                return "threads " + file + ' ' + process * count + ' ' + count;
            }

            @Override
            public long counted(Counters counters) {
                return counters.sum();
            }
        }

        /**
         * Two processes pass the lock back and forth. The measured wait time is the time of the hand-over.
         *
         * @param fastTurns the number of warm-up turns with fast hand-overs
         */
        record HandOff(int fastTurns) implements Task {
            @Override
            public String words(Path file, int process) {
                return "handoff " + file + ' ' + process;
            }

            @Override
            public long counted(Counters counters) {
                return HandOffWorker.counted(counters);
            }
        }
    }

    @Override
    public ContenderRun prepare(Contender contender) {
        return new ProcessRun(contender, this);
    }
}
