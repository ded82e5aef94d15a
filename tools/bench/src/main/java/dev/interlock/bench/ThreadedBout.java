package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/** The turns of one contender that works with threads of this process. */
final class ThreadedBout implements Workload.Bout {
    private final Counters counters;
    private final ServerUse use;
    private final Part part;

    /** What the part does is counted in the counters. */
    ThreadedBout(Contender contender, Counters counters, Part part) {
        this.counters = counters;
        this.use = new ServerUse(contender);
        this.part = part;
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        counters.reset();
        use.begin();
        Crew crew = part.crew();
        crew.begin();
        crew.count();
        crew.await(length);
        ProcessTally tally = crew.end();
        return ProcessTally.sample(List.of(tally), counters.sum(), use.end());
    }

    @Override
    public void close() {
        part.close();
    }
}
