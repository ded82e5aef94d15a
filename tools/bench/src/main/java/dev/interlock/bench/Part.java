package dev.interlock.bench;

import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;

/** What one process does in a workload: a contender that was opened, and those who work with it, turn after turn. */
final class Part implements AutoCloseable {
    private static final int WARMING_THREADS = 8;

    /** Those who pass a lock on get through it seldom, so they need longer. */
    private static final int HURRIED = 2;

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
                .mapToObj(thread -> worker(locking, counters, reach.operationsOf(thread), pace))
                .toList();
        return new Part(name, first, locking, workers);
    }

    private static Worker worker(Locking locking, Counters counters, List<List<Integer>> operations, Pace pace) {
        BenchWorker worker = new BenchWorker(counters, pace);
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
                .mapToObj(thread -> worker(locking, counters, Reach.own().operationsOf(thread), Pace.REMOTE_FREE))
                .toList();
        run(new Crew(name + ", warming up", free), length);
        List<Runner> runners = workers.stream()
                .filter(Runner.class::isInstance)
                .map(Runner.class::cast)
                .toList();
        if (!runners.isEmpty()) {
            runners.forEach(runner -> runner.hurry(true));
            run(crew(), length.multipliedBy(HURRIED));
            runners.forEach(runner -> runner.hurry(false));
        }
    }

    private static void run(Crew crew, Duration length) throws InterruptedException {
        crew.begin();
        crew.count();
        crew.await(length);
        crew.end();
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
