package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/** The turns of one contender with threads of this process. */
final class ThreadedRun implements BenchWorkload.ContenderRun {
    private final Counters counters;
    private final ServerUsage use;
    private final LocalWorkers workers;
    private Duration pendingWarmUp;

    /** The workers increment these counters. They first warm up the JIT compiler for the given time. */
    ThreadedRun(Contender contender, Counters counters, LocalWorkers workers, Duration jitWarmUp) {
        this.counters = counters;
        this.use = new ServerUsage(contender);
        this.workers = workers;
        this.pendingWarmUp = jitWarmUp;
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        if (!pendingWarmUp.isZero()) {
            workers.warmUp(pendingWarmUp);
            pendingWarmUp = Duration.ZERO;
        }
        counters.reset();
        use.begin();
        WorkerGroup group = workers.group();
        group.begin();
        group.count();
        group.await(length);
        ProcessTally tally = group.end();
        return ProcessTally.sample(List.of(tally), counters.sum(), use.end());
    }

    @Override
    public void close() {
        workers.close();
    }
}
