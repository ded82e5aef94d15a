package dev.interlock.bench.jdbc;

import dev.interlock.bench.BenchPace;
import dev.interlock.bench.BenchProcesses;
import dev.interlock.bench.BenchWorkload;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Goal;
import dev.interlock.bench.LeasedWorkload;
import dev.interlock.bench.Metric;
import dev.interlock.bench.ProcessWorkload;
import dev.interlock.bench.ScalingRun;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.ScheduledWorkload;
import dev.interlock.bench.SpreadWorkload;
import dev.interlock.bench.Suite;
import dev.interlock.bench.ThreadedWorkload;
import dev.interlock.bench.WaitingWorkload;
import dev.interlock.bench.WorkloadResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The suites {@code postgres} and {@code mariadb}, with the servers and processes that they need. These start on first
 * use. Used by one thread.
 *
 * <p>Rows of used locks stay in the tables. Scaling runs come last, so that the other workloads do not run on tables
 * with a million rows.
 */
public final class JdbcSuite implements AutoCloseable {
    /** For published results. Takes about ten minutes, and the same again for the scaling runs. */
    public static final Schedule FULL = new Schedule(3, 9, Duration.ofMillis(700));

    /** For a quick look, and to notice regressions. Takes at most ninety seconds. */
    public static final Schedule QUICK = new Schedule(1, 3, Duration.ofMillis(60)).within(Schedule.QUICK_TIME);

    private static final String OURS = "interlock";
    private static final String FLOOR = "raw";
    private static final String ADVISORY = "advisory_blocking";
    private static final String SPRING = "spring";

    private static final List<String> CONTENDING = List.of(OURS, FLOOR, ADVISORY, "advisory", SPRING, "shedlock");
    private static final List<String> BESIDE_A_SOURCE = List.of(FLOOR, ADVISORY, SPRING, "shedlock");

    /** The contenders that renew many leases with few statements. */
    private static final List<String> FEW_HOLDERS = List.of(OURS, FLOOR);

    private static final List<Metric> FREE = List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.CALLS);
    private static final List<Metric> CONTENDED =
            List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES);
    private static final List<Metric> HAND_OFF =
            List.of(Metric.P50, Metric.P99, Metric.P999, Metric.CALLS, Metric.LOST_UPDATES);
    private static final List<Metric> HELD =
            List.of(Metric.COMMANDS_PER_SECOND, Metric.CALLS_PER_SECOND, Metric.HEAP, Metric.THREADS);

    private final String name;
    private final DatabaseProduct product;
    private final Size size;
    private final JdbcContenderSet contenderSet;
    private final BenchProcesses processPool;
    private final Map<String, BenchDatabase> holders = new HashMap<>();
    private @Nullable BenchDatabase database;
    private int used;

    /**
     * What makes a suite long or short, apart from its schedule.
     *
     * @param usedLocks the number of used locks in every table before the first workload. In a table with a handful of
     *     rows PostgreSQL switches from the index to a sequential scan as soon as it has updated its statistics, which
     *     can happen at any time
     * @param heldLocks the number of held leases
     * @param holders the contenders that hold leases; each needs a process and a server
     * @param heldLease the length of held leases. They are renewed after a third of it, so counting the renewals takes
     *     that long
     * @param freeWarmUps factor for the number of warm-up turns of the uncontended workloads, which come first
     * @param jitWarmUp how long each contender warms up the JIT compiler before its first turn
     * @param longTurns factor for the length of turns in which contenders poll or acquire many locks
     * @param fastTurns the number of warm-up turns with fast hand-overs
     * @param waiting whether to measure the cost of a waiter, which needs long turns
     * @param sourceThreads thread counts for which uncontended locks are also measured with a data source of the
     *     application
     * @param options JVM options of the processes
     */
    record Size(
            int usedLocks,
            int heldLocks,
            List<String> holders,
            Duration heldLease,
            int freeWarmUps,
            Duration jitWarmUp,
            int longTurns,
            int fastTurns,
            boolean waiting,
            List<Integer> sourceThreads,
            List<String> options) {
        static final Size FULL = new Size(
                1000,
                10_000,
                List.of(OURS, FLOOR, SPRING, "shedlock"),
                Duration.ofSeconds(30),
                4,
                Duration.ZERO,
                1,
                12,
                true,
                List.of(1, 8, 64),
                List.of());

        /**
         * The run is over before the C2 compiler has finished, so C2 would only take processor time from the server.
         */
        static final Size QUICK = new Size(
                1000,
                10_000,
                FEW_HOLDERS,
                Duration.ofSeconds(6),
                1,
                Duration.ofMillis(300),
                2,
                2,
                false,
                List.of(),
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dinterlock.bench.quick=true"));
    }

    /** Does not start a server yet. */
    JdbcSuite(String name, DatabaseProduct product, Size size) {
        this.name = name;
        this.product = product;
        this.size = size;
        this.contenderSet = new JdbcContenderSet(product, this::url, JdbcContenderSet.LEASE);
        this.processPool =
                new BenchProcesses(JdbcContenderSource.class, this::url, JdbcContenderSet.LEASE, size.options);
    }

    /**
     * The suite {@code postgres}. Does not start a server yet.
     *
     * @param quick whether to run briefly: with shorter turns and leases, fewer holders, and processes without the C2
     *     compiler
     */
    public static JdbcSuite postgres(boolean quick) {
        return new JdbcSuite("postgres", DatabaseProduct.POSTGRESQL, quick ? Size.QUICK : Size.FULL);
    }

    /**
     * The suite {@code mariadb}. Does not start a server yet.
     *
     * @param quick whether to run briefly: with shorter turns and leases, fewer holders, and processes without the C2
     *     compiler
     */
    public static JdbcSuite mariaDb(boolean quick) {
        return new JdbcSuite("mariadb", DatabaseProduct.MARIADB, quick ? Size.QUICK : Size.FULL);
    }

    /**
     * Starts the server that most workloads need.
     *
     * @return its name and version
     * @throws IllegalStateException if no server is available; the message says what to do
     */
    public String start() {
        return database().version();
    }

    private BenchDatabase database() {
        BenchDatabase known = database;
        if (known == null) {
            known = BenchDatabase.start(product);
            database = known;
            use(size.usedLocks);
        }
        return known;
    }

    private String url() {
        return database().url();
    }

    /** Fills all tables with the rows of this many used locks, if they do not have them yet. */
    private void use(int locks) {
        BenchDatabase filled = database();
        if (locks > used) {
            filled.fillWithUsedLocks(locks);
            used = locks;
        }
    }

    /**
     * Returns the suite. The first workloads run all the code of a contender and leave a processor for the JIT
     * compiler.
     */
    public Suite suite() {
        List<BenchWorkload> workloads = new ArrayList<>(List.of(
                ScheduledWorkload.withShare(
                        11, ScheduledWorkload.withMoreWarmUps(size.freeWarmUps, free(1).withJitWarmUp(size.jitWarmUp))),
                ScheduledWorkload.withShare(7, ScheduledWorkload.withMoreWarmUps(size.freeWarmUps, free(8))),
                ScheduledWorkload.withShare(9, free(64)),
                ScheduledWorkload.withShare(13, ScheduledWorkload.withLongerTurns(size.longTurns, hotInOneProcess())),
                ScheduledWorkload.withShare(
                        22,
                        ScheduledWorkload.withLongerTurns(
                                size.longTurns,
                                ProcessWorkload.hot("hot_4p8t", 4, contenders(CONTENDING), CONTENDED, processPool))),
                ScheduledWorkload.withShare(
                        12,
                        ScheduledWorkload.withLongerTurns(
                                size.longTurns,
                                ProcessWorkload.handOff(
                                        contenders(CONTENDING), HAND_OFF, processPool, size.fastTurns))),
                ScheduledWorkload.withShare(8, several(5)),
                ScheduledWorkload.withShare(13, ScheduledWorkload.withLongerTurns(size.longTurns, several(20)))));
        if (size.waiting) {
            workloads.add(waiting());
        }
        size.sourceThreads.forEach(threads -> workloads.add(overSource(threads)));
        workloads.add(ScheduledWorkload.withShare(18, held("held_" + size.heldLocks, size.heldLocks, size.holders)));
        return new Suite(
                name,
                workloads,
                List.of(
                        ScalingRun.ofKeys(this::keys),
                        ScalingRun.ofWaiters(this::waiters),
                        ScalingRun.ofHeldLocks((step, locks) -> held(step, locks, FEW_HOLDERS)),
                        ScalingRun.ofProcesses(this::processes)),
                goals());
    }

    private ThreadedWorkload free(int threads) {
        return ThreadedWorkload.free(threads, contenders(CONTENDING), FREE, BenchPace.REMOTE_FREE);
    }

    /**
     * The same workload with Interlock on a data source of the application. It runs late, and not next to the other
     * variant: no application uses both, and the JIT compiler would compile shared code for both.
     */
    private BenchWorkload overSource(int threads) {
        List<Contender> all = new ArrayList<>(
                List.of(contenderSet.pooled().metered(() -> database().meter().read())));
        all.addAll(contenders(BESIDE_A_SOURCE));
        ThreadedWorkload free = ThreadedWorkload.free(threads, all, FREE, BenchPace.REMOTE_FREE);
        return free.named(
                "source_" + threads + 't', free.title() + "; Interlock uses a data source of the application");
    }

    private BenchWorkload hotInOneProcess() {
        return ThreadedWorkload.hot("hot_1p32t", 32, contenders(CONTENDING), CONTENDED, BenchPace.REMOTE_CONTENDED);
    }

    private BenchWorkload waiting() {
        return ScheduledWorkload.withFewLongTurns(new WaitingWorkload(
                "waiting", "one client waits for a lock that another one holds", contenders(CONTENDING)));
    }

    /** All contenders except Interlock acquire the locks one by one. */
    private BenchWorkload several(int locks) {
        return ThreadedWorkload.several(locks, contenders(CONTENDING), CONTENDED, BenchPace.REMOTE_CONTENDED);
    }

    private BenchWorkload held(String workload, int locks, List<String> holderNames) {
        return LeasedWorkload.of(
                workload,
                locks,
                size.heldLease,
                holderNames.stream()
                        .map(holder -> contenderSet
                                .named(holder)
                                .metered(() -> databaseOf(holder).meter().read()))
                        .toList(),
                HELD,
                holder -> new BenchProcesses(
                        JdbcContenderSource.class, () -> databaseOf(holder).url(), size.heldLease, size.options),
                (holder, names) -> databaseOf(holder).held(holder, names));
    }

    private BenchDatabase databaseOf(String holder) {
        return holders.computeIfAbsent(holder, any -> BenchDatabase.start(product));
    }

    private BenchWorkload keys(String workload, int locks) {
        return SpreadWorkload.outOf(locks, workload, contenders(CONTENDING), FREE, () -> use(locks));
    }

    private BenchWorkload waiters(String workload, int threads) {
        return ThreadedWorkload.hot(
                workload, threads, contenders(List.of(OURS, ADVISORY)), CONTENDED, BenchPace.REMOTE_CONTENDED);
    }

    private BenchWorkload processes(String workload, int processes) {
        return ProcessWorkload.hot(
                workload, processes, contenders(List.of(OURS, FLOOR, ADVISORY, SPRING)), CONTENDED, processPool);
    }

    private List<Contender> contenders(List<String> names) {
        return names.stream()
                .map(one ->
                        contenderSet.named(one).metered(() -> database().meter().read()))
                .toList();
    }

    private List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        goals.add(Goal.atMost("free_1t", OURS, Metric.CALLS, 2));
        goals.add(Goal.atMost("free_8t", OURS, Metric.CALLS, 2));
        if (product == DatabaseProduct.POSTGRESQL) {
            for (String free : List.of("free_1t", "free_8t")) {
                goals.add(Goal.ratioAtLeast(free, OURS, Metric.OPS, FLOOR, 0.9));
                goals.add(Goal.ratioAtLeast(free, OURS, Metric.OPS, WorkloadResult.BEST_PEER, 1.5));
            }
            goals.add(Goal.ratioAtLeast("hot_4p8t", OURS, Metric.OPS, WorkloadResult.BEST_PEER, 5));
            goals.add(Goal.ratioAtLeast("hot_4p8t", OURS, Metric.OPS, ADVISORY, 2));
            goals.add(Goal.ratioAtMost("handoff_2p", OURS, Metric.P50, ADVISORY, 3));
        }
        for (String contended : List.of("hot_1p32t", "hot_4p8t", "handoff_2p", "multi_5", "multi_20")) {
            goals.add(Goal.atMost(contended, OURS, Metric.LOST_UPDATES, 0));
        }
        return goals;
    }

    @Override
    public void close() {
        processPool.close();
        holders.values().forEach(BenchDatabase::close);
        if (database != null) {
            database.close();
        }
    }
}
