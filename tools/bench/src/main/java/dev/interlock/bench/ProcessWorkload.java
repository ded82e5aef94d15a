package dev.interlock.bench;

import java.nio.file.Path;
import java.util.List;

/**
 * Processes that want the same lock.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part; the processes know them by their names
 * @param metrics what is shown
 * @param children the processes
 * @param processes how many of them
 * @param task what each of them does
 */
public record ProcessWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        Children children,
        int processes,
        Task task)
        implements Workload {
    private static final int THREADS_OF_EACH = 8;

    /** Threads of several processes that all want the same lock. */
    public static ProcessWorkload hot(
            String name, int processes, List<Contender> contenders, List<Metric> metrics, Children children) {
        return new ProcessWorkload(
                name,
                "one lock passed between " + processes + " processes with " + THREADS_OF_EACH + " threads each",
                contenders,
                metrics,
                children,
                processes,
                new Task.Threads(THREADS_OF_EACH));
    }

    /**
     * Two processes that pass a lock back and forth.
     *
     * @param hurried so many turns they first do so in a hurry: there are only a hundred hand-offs in a second, and the compiler wants thousands
     */
    public static ProcessWorkload handOff(
            List<Contender> contenders, List<Metric> metrics, Children children, int hurried) {
        return new ProcessWorkload(
                "handoff_2p",
                "one lock passed back and forth between 2 processes; times from the call of release until the other has it",
                contenders,
                metrics,
                children,
                2,
                new Task.HandOff(hurried));
    }

    /** Copies the lists. */
    public ProcessWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    /** What each process of a workload does. */
    public sealed interface Task {
        /** The words with which a process is told. */
        String words(Path file, int process);

        /** What the guarded counters say. */
        long counted(Counters counters);

        /**
         * Threads that acquire and release as fast as they can.
         *
         * @param count how many in each process
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
         * Two processes pass the lock back and forth; the times from asking to holding are those of the way of the lock.
         *
         * @param hurried how many turns in a hurry come first
         */
        record HandOff(int hurried) implements Task {
            @Override
            public String words(Path file, int process) {
                return "runner " + file + ' ' + process;
            }

            @Override
            public long counted(Counters counters) {
                return Runner.counted(counters);
            }
        }
    }

    @Override
    public Bout prepare(Contender contender) {
        return new ProcessBout(contender, this);
    }
}
