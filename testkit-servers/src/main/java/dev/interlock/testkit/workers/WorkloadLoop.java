package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.CriticalSection.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The threads of a worker that run sections until they are stopped; no exception of the API ends them. */
final class WorkloadLoop {
    /** The pause before the next attempt on an unavailable store, so that the log is not filled with refusals. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** How many unexpected errors are printed in full. */
    private static final int ERRORS_SHOWN = 20;

    private final Workload workload;
    private final CriticalSectionRunner sections;
    private final WorkerCounts counts;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    WorkloadLoop(Workload workload, CriticalSectionRunner sections, WorkerCounts counts) {
        this.workload = workload;
        this.sections = sections;
        this.counts = counts;
    }

    void start(String worker, int number) {
        SplittableRandom seeds = new SplittableRandom(workload.seed() * 31 + number);
        for (int i = 0; i < workload.threads(); i++) {
            long owner = Recorder.hash(worker + "/" + i);
            SplittableRandom random = seeds.split();
            Thread thread = new Thread(() -> loop(owner, random), "workload-" + i);
            thread.setDaemon(true);
            threads.add(thread);
            thread.start();
        }
    }

    private void loop(long owner, SplittableRandom random) {
        while (!stopped) {
            try {
                Outcome outcome = sections.run(next(random), owner).outcome();
                if (outcome == Outcome.UNAVAILABLE || outcome == Outcome.FAILED || outcome == Outcome.UNKNOWN) {
                    LockSupport.parkNanos(PAUSE_NANOS);
                }
            } catch (RuntimeException e) {
                counts.error();
                if (counts.progress().errors() <= ERRORS_SHOWN) {
                    e.printStackTrace();
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private CriticalSection next(SplittableRandom random) {
        LockKey key =
                LockKey.of(workload.keys().get(random.nextInt(workload.keys().size())));
        Duration patience = random.nextInt(10) == 0 ? Duration.ZERO : upTo(workload.patience(), random);
        WorkerRequest ask = WorkerRequest.of(key, workload.leaseFor(), patience);
        return new CriticalSection(ask, workload.raise(), workload.checksLease(), upTo(workload.pause(), random));
    }

    private static Duration upTo(Duration most, SplittableRandom random) {
        return Duration.ofNanos(random.nextLong(most.toNanos() + 1));
    }

    /** Waits for the running sections to end; returns false if they do not end in time. */
    boolean stop(Duration within) throws InterruptedException {
        stopped = true;
        long deadline = System.nanoTime() + within.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }
}
