package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/** The turns of one contender that works with threads of this process. */
final class ThreadedBout implements Workload.Bout {
    private final Counters counters;
    private final ServerUse use;
    private final Part part;
    private Duration stillShown;

    /** What the part does is counted in the counters. For the given time it is shown to the compiler first. */
    ThreadedBout(Contender contender, Counters counters, Part part, Duration shown) {
        this.counters = counters;
        this.use = new ServerUse(contender);
        this.part = part;
        this.stillShown = shown;
    }

    @Override
    public Sample turn(Duration length) throws InterruptedException {
        if (!stillShown.isZero()) {
            part.warmUp(stillShown);
            stillShown = Duration.ZERO;
        }
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
