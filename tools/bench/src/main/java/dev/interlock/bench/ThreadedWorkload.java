package dev.interlock.bench;

import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/**
 * Threads that acquire and release as fast as they can.
 *
 * @param name the name in the report
 * @param title what is done
 * @param contenders who takes part
 * @param metrics what is shown
 * @param threads how many threads there are
 * @param reach which locks a thread takes
 * @param timedEvery each thread times one in so many acquisitions, since reading the clock may cost more than a lock
 */
public record ThreadedWorkload(
        String name,
        String title,
        List<Contender> contenders,
        List<Metric> metrics,
        int threads,
        Reach reach,
        int timedEvery)
        implements Workload {
    /** Primes, so that the acquisitions that are timed do not fall into step with a bound inside a lock. */
    public static final int TIMED_WHEN_FREE = 61;

    /** See {@link #TIMED_WHEN_FREE}; waits are long enough to time more of them. */
    public static final int TIMED_WHEN_CONTENDED = 7;

    /** Copies the lists. */
    public ThreadedWorkload {
        contenders = List.copyOf(contenders);
        metrics = List.copyOf(metrics);
    }

    /** Which locks a thread takes, as numbers; each inner list is one operation, and they are gone through in a circle. */
    @FunctionalInterface
    public interface Reach {
        /** The operations of one thread. */
        List<List<Integer>> operationsOf(int thread);

        /** Each thread has a lock of its own. */
        static Reach own() {
            return thread -> List.of(List.of(thread));
        }

        /** All threads want the same lock. */
        static Reach hot() {
            return thread -> List.of(List.of(0));
        }

        /** Each operation takes several locks out of many, the same ones in every run and in no particular order. */
        static Reach several(int taken, int outOf) {
            int variety = 256;
            return thread -> {
                SplittableRandom random = new SplittableRandom(thread);
                List<List<Integer>> operations = new ArrayList<>();
                for (int i = 0; i < variety; i++) {
                    operations.add(random.ints(0, outOf)
                            .distinct()
                            .limit(taken)
                            .boxed()
                            .toList());
                }
                return operations;
            };
        }
    }

    @Override
    public Bout prepare(Contender contender) {
        Locking locking = contender.opener().get();
        PlainCounters counters = new PlainCounters();
        List<BenchWorker> workers = IntStream.range(0, threads)
                .mapToObj(thread -> worker(thread, locking, counters))
                .toList();
        return new ThreadedBout(contender.name() + " at " + name, locking, counters, workers);
    }

    private BenchWorker worker(int thread, Locking locking, PlainCounters counters) {
        BenchWorker worker = new BenchWorker(counters, timedEvery);
        for (List<Integer> operation : reach.operationsOf(thread)) {
            List<String> names =
                    operation.stream().map(number -> "bench:" + number).toList();
            Guard guard = names.size() == 1 ? locking.guard(names.get(0)) : locking.guardAll(names);
            worker.add(guard, operation.stream().mapToInt(Integer::intValue).toArray());
        }
        return worker;
    }
}
