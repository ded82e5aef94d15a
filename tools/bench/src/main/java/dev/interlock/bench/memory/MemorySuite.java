package dev.interlock.bench.memory;

import dev.interlock.bench.BenchPace;
import dev.interlock.bench.BenchWorkload;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Goal;
import dev.interlock.bench.HeldWorkload;
import dev.interlock.bench.InterlockLocking;
import dev.interlock.bench.Metric;
import dev.interlock.bench.ScalingRun;
import dev.interlock.bench.SpreadWorkload;
import dev.interlock.bench.Suite;
import dev.interlock.bench.ThreadedWorkload;
import dev.interlock.memory.InMemoryBackend;
import java.util.List;

/** The suite {@code memory}. */
public final class MemorySuite {
    private static final Contender OURS = Contender.ours(() -> InterlockLocking.standard(InMemoryBackend.create()));
    private static final Contender STRICT =
            Contender.ours("strict", () -> InterlockLocking.strictFifo(InMemoryBackend.create()));
    private static final Contender SEMAPHORE = Contender.floor("semaphore", SemaphoreLocking::new);
    private static final Contender REENTRANT_LOCK = Contender.floor("reentrant_lock", ReentrantLocking::new);

    private static final List<Metric> CONTENDED = List.of(
            Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.SHARE, Metric.ALLOCATED, Metric.LOST_UPDATES);

    private MemorySuite() {}

    /** Creates the suite. */
    public static Suite create() {
        return new Suite(
                "memory",
                List.of(
                        free(1),
                        free(8),
                        free(64),
                        ThreadedWorkload.hot(
                                "hot_1p32t",
                                32,
                                List.of(OURS, STRICT, SEMAPHORE, REENTRANT_LOCK),
                                CONTENDED,
                                BenchPace.CONTENDED),
                        several(5),
                        several(20),
                        held("held_10000", 10_000)),
                List.of(
                        ScalingRun.ofKeys(MemorySuite::keys),
                        ScalingRun.ofWaiters(MemorySuite::waiters),
                        ScalingRun.ofHeldLocks(MemorySuite::held)),
                goals());
    }

    private static BenchWorkload free(int threads) {
        return ThreadedWorkload.free(
                threads,
                List.of(OURS, SEMAPHORE, REENTRANT_LOCK),
                threads == 1
                        ? List.of(Metric.OPS, Metric.NS_PER_OP, Metric.P50, Metric.P99, Metric.P999, Metric.ALLOCATED)
                        : List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.SHARE, Metric.ALLOCATED),
                BenchPace.FREE);
    }

    private static BenchWorkload several(int locks) {
        return ThreadedWorkload.several(locks, List.of(OURS, SEMAPHORE), CONTENDED, BenchPace.CONTENDED);
    }

    private static BenchWorkload held(String name, int locks) {
        return new HeldWorkload(name, locks + " locks held at the same time", List.of(OURS, SEMAPHORE), locks);
    }

    private static BenchWorkload keys(String name, int locks) {
        return SpreadWorkload.outOf(
                locks,
                name,
                List.of(OURS, SEMAPHORE),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.ALLOCATED),
                () -> {});
    }

    private static BenchWorkload waiters(String name, int threads) {
        return ThreadedWorkload.hot(
                name,
                threads,
                List.of(OURS, SEMAPHORE),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.SHARE, Metric.LOST_UPDATES),
                BenchPace.CONTENDED);
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
