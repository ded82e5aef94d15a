package dev.interlock.testkit.workers;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.workers.Section.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.SplittableRandom;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/** The threads of a worker that run sections until they are stopped; nothing that the API throws ends them. */
final class WorkloadLoop {
    /** A store that is away is asked again after this, so that the log is not filled with one refusal. */
    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(10);

    /** So many unexpected errors are printed in full. */
    private static final int ERRORS_SHOWN = 20;

    private final Workload workload;
    private final Sections sections;
    private final Tally tally;
    private final List<Thread> threads = new ArrayList<>();
    private volatile boolean stopped;

    WorkloadLoop(Workload workload, Sections sections, Tally tally) {
        this.workload = workload;
        this.sections = sections;
        this.tally = tally;
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
                tally.error();
                if (tally.progress().errors() <= ERRORS_SHOWN) {
                    e.printStackTrace();
                }
                LockSupport.parkNanos(PAUSE_NANOS);
            }
        }
    }

    private Section next(SplittableRandom random) {
        LockKey key =
                LockKey.of(workload.keys().get(random.nextInt(workload.keys().size())));
        Duration patience = random.nextInt(10) == 0 ? Duration.ZERO : upTo(workload.patience(), random);
        Ask ask = Ask.of(key, workload.leaseFor(), patience);
        return new Section(ask, workload.raise(), workload.heed(), upTo(workload.dawdle(), random));
    }

    private static Duration upTo(Duration most, SplittableRandom random) {
        return Duration.ofNanos(random.nextLong(most.toNanos() + 1));
    }

    /** Lets the sections under way end; false if they do not within the time. */
    boolean stop(Duration within) throws InterruptedException {
        stopped = true;
        long deadline = System.nanoTime() + within.toNanos();
        for (Thread thread : threads) {
            thread.join(Math.max(1, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime())));
        }
        return threads.stream().noneMatch(Thread::isAlive);
    }
}
