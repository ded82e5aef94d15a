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

        /** Two processes pass the lock back and forth; the times from asking to holding are those of the way of the lock. */
        record HandOff() implements Task {
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
