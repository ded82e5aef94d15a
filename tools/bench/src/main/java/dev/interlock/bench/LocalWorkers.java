package dev.interlock.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** The part of one process in a workload: an opened contender and its workers. */
final class LocalWorkers implements AutoCloseable {
    private static final int WARMING_THREADS = 8;

    /** With this many threads or more, workers use compact histograms. */
    private static final int MANY_THREADS = 500;

    private final String name;
    private final int first;
    private final Locking locking;
    private final List<BenchWorker> workers;

    private LocalWorkers(String name, int first, Locking locking, List<BenchWorker> workers) {
        this.name = name;
        this.first = first;
        this.locking = locking;
        this.workers = workers;
    }

    /** Threads that acquire and release as fast as they can. Their numbers start at {@code first}. */
    static LocalWorkers threads(
            String name,
            Contender contender,
            Counters counters,
            int first,
            int threads,
            LockSelection selection,
            BenchPace pace) {
        Locking locking = contender.opener().get();
        List<BenchWorker> workers = IntStream.range(first, first + threads)
                .mapToObj(thread -> worker(
                        locking,
                        threads < MANY_THREADS
                                ? new LoopWorker(counters, pace)
                                : LoopWorker.withCompactHistograms(counters, pace),
                        selection.operationsOf(thread)))
                .toList();
        return new LocalWorkers(name, first, locking, workers);
    }

    /**
     * Threads that each acquire a different lock every time. No two threads share a lock. Each creates what it needs
     * for a lock when it uses the lock, like an application that receives an id.
     */
    static LocalWorkers spread(String name, Contender contender, Counters counters, int threads, int locks) {
        Locking locking = contender.opener().get();
        List<BenchWorker> workers = IntStream.range(0, threads)
                .mapToObj(thread -> spreadWorker(locking, counters, thread, threads, locks))
                .toList();
        return new LocalWorkers(name, 0, locking, workers);
    }

    private static BenchWorker spreadWorker(Locking locking, Counters counters, int thread, int threads, int locks) {
        SplittableRandom random = new SplittableRandom(thread);
        LoopWorker worker = new LoopWorker(counters, BenchPace.REMOTE_FREE);
        worker.add(
                section -> locking.guard("bench:" + (random.nextInt(locks / threads) * threads + thread))
                        .run(section),
                new int[] {thread});
        return worker;
    }

    private static BenchWorker worker(Locking locking, LoopWorker worker, List<List<Integer>> operations) {
        for (List<Integer> operation : operations) {
            List<String> names =
                    operation.stream().map(number -> "bench:" + number).toList();
            LockGuard guard = names.size() == 1 ? locking.guard(names.get(0)) : locking.guardAll(names);
            worker.add(guard, operation.stream().mapToInt(Integer::intValue).toArray());
        }
        return worker;
    }

    /** One of the two sides that pass a lock back and forth. They communicate through the file. */
    static LocalWorkers handOff(String name, Contender contender, Path shared, int side) {
        Locking locking = contender.opener().get();
        return new LocalWorkers(
                name,
                side,
                locking,
                List.of(new HandOffWorker(locking.guard("bench:handoff"), SharedCounters.in(shared), side)));
    }

    /**
     * Warms up the JIT compiler before the measurement. Threads with separate locks run more of the contender's code
     * than threads that wait for each other.
     */
    void warmUp(Duration length) throws InterruptedException {
        Counters counters = new PlainCounters();
        // Lock numbers that no other process uses, so that processes do not wait for each other.
        int from = 1 + first * WARMING_THREADS;
        List<BenchWorker> free = IntStream.range(from, from + WARMING_THREADS)
                .mapToObj(thread -> worker(
                        locking,
                        new LoopWorker(counters, BenchPace.REMOTE_FREE),
                        LockSelection.own().operationsOf(thread)))
                .toList();
        WorkerGroup group = new WorkerGroup(name + ", warming up", free);
        group.begin();
        group.count();
        group.await(length);
        group.end();
        if (!LoopWorker.QUICK) {
            JitActivity.awaitQuiet(length, JitActivity::spentMillis);
        }
    }

    /** Whether hand-off workers pass the lock on at once, see {@link HandOffWorker#passOnAtOnce}. */
    void passOnAtOnce(boolean on) {
        for (BenchWorker worker : workers) {
            if (worker instanceof HandOffWorker handOff) {
                handOff.passOnAtOnce(on);
            }
        }
    }

    /** The workers of the next turn. */
    WorkerGroup group() {
        return new WorkerGroup(name, workers);
    }

    @Override
    public void close() {
        locking.close();
    }
}
