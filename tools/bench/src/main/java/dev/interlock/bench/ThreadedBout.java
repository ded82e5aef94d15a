package dev.interlock.bench;

import java.time.Duration;
import java.util.List;

/** The turns of one contender at a {@link ThreadedWorkload}. */
final class ThreadedBout implements Workload.Bout {
    private final Counters counters = new PlainCounters();
    private final ServerUse use;
    private final Part part;

    ThreadedBout(Contender contender, ThreadedWorkload workload) {
        use = new ServerUse(contender);
        part = Part.threads(
                contender.name() + " at " + workload.name(),
                contender,
                counters,
                0,
                workload.threads(),
                workload.reach(),
                workload.pace());
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
