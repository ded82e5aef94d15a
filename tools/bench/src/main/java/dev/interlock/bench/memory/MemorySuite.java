package dev.interlock.bench.memory;

import dev.interlock.bench.Contender;
import dev.interlock.bench.Goal;
import dev.interlock.bench.HeldWorkload;
import dev.interlock.bench.InterlockLocking;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Pace;
import dev.interlock.bench.Reach;
import dev.interlock.bench.Suite;
import dev.interlock.bench.ThreadedWorkload;
import dev.interlock.bench.Workload;
import dev.interlock.memory.InMemoryBackend;
import java.util.List;

/** The suite {@code memory}. */
public final class MemorySuite {
    private static final Contender OURS = Contender.ours(() -> InterlockLocking.standard(InMemoryBackend.create()));
    private static final Contender STRICT =
            Contender.ours("strict", () -> InterlockLocking.strictFifo(InMemoryBackend.create()));
    private static final Contender SEMAPHORE = Contender.floor("semaphore", SemaphoreLocking::new);
    private static final Contender REENTRANT_LOCK = Contender.floor("reentrant_lock", ReentrantLocking::new);

    private MemorySuite() {}

    /** The suite. */
    public static Suite create() {
        return new Suite("memory", List.of(free(1), free(8), hot(), several(), held()), goals());
    }

    private static Workload free(int threads) {
        String title = threads == 1
                ? "one thread acquires and releases a lock that nobody else wants"
                : threads + " threads, each with a lock that nobody else wants";
        return new ThreadedWorkload(
                "free_" + threads + 't',
                title,
                List.of(OURS, SEMAPHORE, REENTRANT_LOCK),
                threads == 1
                        ? List.of(Metric.OPS, Metric.NS_PER_OP, Metric.P50, Metric.P99, Metric.ALLOCATED)
                        : List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.ALLOCATED),
                threads,
                Reach.own(),
                Pace.FREE);
    }

    private static Workload hot() {
        return new ThreadedWorkload(
                "hot_1p32t",
                "one lock passed between 32 threads of one process",
                List.of(OURS, STRICT, SEMAPHORE, REENTRANT_LOCK),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.ALLOCATED, Metric.LOST_UPDATES),
                32,
                Reach.hot(),
                Pace.CONTENDED);
    }

    private static Workload several() {
        return new ThreadedWorkload(
                "multi_5",
                "16 threads, each operation takes 5 of 1000 locks at once",
                List.of(OURS, SEMAPHORE),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.ALLOCATED, Metric.LOST_UPDATES),
                16,
                Reach.several(5, 1000),
                Pace.CONTENDED);
    }

    private static Workload held() {
        return new HeldWorkload("held_10000", "10000 locks held at once", List.of(OURS, SEMAPHORE), 10_000);
    }

    private static List<Goal> goals() {
        return List.of(
                Goal.ratioAtLeast("hot_1p32t", OURS.name(), Metric.OPS, SEMAPHORE.name(), 0.5),
                Goal.ratioAtLeast("hot_1p32t", STRICT.name(), Metric.OPS, SEMAPHORE.name(), 0.5),
                Goal.atMost("free_1t", OURS.name(), Metric.NS_PER_OP, 2000),
                Goal.atMost("hot_1p32t", OURS.name(), Metric.LOST_UPDATES, 0),
                Goal.atMost("hot_1p32t", STRICT.name(), Metric.LOST_UPDATES, 0),
                Goal.atMost("multi_5", OURS.name(), Metric.LOST_UPDATES, 0));
    }
}
