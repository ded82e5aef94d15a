package dev.interlock.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.SplittableRandom;
import java.util.stream.IntStream;

/** What one process does in a workload: a contender that was opened, and those who work with it, turn after turn. */
final class Part implements AutoCloseable {
    private static final int WARMING_THREADS = 8;

    /** From so many threads on, what they note is kept small. */
    private static final int CROWD = 500;

    private final String name;
    private final int first;
    private final Locking locking;
    private final List<Worker> workers;

    private Part(String name, int first, Locking locking, List<Worker> workers) {
        this.name = name;
        this.first = first;
        this.locking = locking;
        this.workers = workers;
    }

    /** Threads that acquire and release as fast as they can; they are numbered from the given one on. */
    static Part threads(
            String name, Contender contender, Counters counters, int first, int threads, Reach reach, Pace pace) {
        Locking locking = contender.opener().get();
        List<Worker> workers = IntStream.range(first, first + threads)
                .mapToObj(thread -> worker(
                        locking,
                        threads < CROWD ? new BenchWorker(counters, pace) : BenchWorker.ofACrowd(counters, pace),
                        reach.operationsOf(thread)))
                .toList();
        return new Part(name, first, locking, workers);
    }

    /**
     * Threads that take a lock out of many, another one each time. Each has those that no other thread has, and makes what it needs for
     * one when it comes to it, as an application does that has an id in its hand.
     */
    static Part wanderers(String name, Contender contender, Counters counters, int threads, int locks) {
        Locking locking = contender.opener().get();
        List<Worker> workers = IntStream.range(0, threads)
                .mapToObj(thread -> wanderer(locking, counters, thread, threads, locks))
                .toList();
        return new Part(name, 0, locking, workers);
    }

    private static Worker wanderer(Locking locking, Counters counters, int thread, int threads, int locks) {
        SplittableRandom random = new SplittableRandom(thread);
        BenchWorker worker = new BenchWorker(counters, Pace.REMOTE_FREE);
        worker.add(
                section -> locking.guard("bench:" + (random.nextInt(locks / threads) * threads + thread))
                        .run(section),
                new int[] {thread});
        return worker;
    }

    private static Worker worker(Locking locking, BenchWorker worker, List<List<Integer>> operations) {
        for (List<Integer> operation : operations) {
            List<String> names =
                    operation.stream().map(number -> "bench:" + number).toList();
            Guard guard = names.size() == 1 ? locking.guard(names.get(0)) : locking.guardAll(names);
            worker.add(guard, operation.stream().mapToInt(Integer::intValue).toArray());
        }
        return worker;
    }

    /** One of two runners who pass a lock back and forth; the baton is in the file. */
    static Part runner(String name, Contender contender, Path baton, int side) {
        Locking locking = contender.opener().get();
        return new Part(
                name, side, locking, List.of(new Runner(locking.guard("bench:baton"), SharedCounters.in(baton), side)));
    }

    /**
     * Lets the compiler see the contender before it is measured: threads with a lock each get through more of its code in less
     * time than threads that wait for one another.
     */
    void warmUp(Duration length) throws InterruptedException {
        Counters counters = new PlainCounters();
        // Numbers that no other process has, or it would be them who wait for one another.
        int from = 1 + first * WARMING_THREADS;
        List<Worker> free = IntStream.range(from, from + WARMING_THREADS)
                .mapToObj(thread -> worker(
                        locking,
                        new BenchWorker(counters, Pace.REMOTE_FREE),
                        Reach.own().operationsOf(thread)))
                .toList();
        Crew crew = new Crew(name + ", warming up", free);
        crew.begin();
        crew.count();
        crew.await(length);
        crew.end();
        if (!BenchWorker.HASTY) {
            Compilation.awaitQuiet(length, Compilation::spentMillis);
        }
    }

    /** Whether runners pass their lock back at once, see {@link Runner#hurry}. */
    void hurry(boolean yes) {
        for (Worker worker : workers) {
            if (worker instanceof Runner runner) {
                runner.hurry(yes);
            }
        }
    }

    /** Those who work in the next turn. */
    Crew crew() {
        return new Crew(name, workers);
    }

    @Override
    public void close() {
        locking.close();
    }
}
