package dev.interlock.bench.redis;

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
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/**
 * The suite {@code redis}, with the servers and processes that it needs. These start on first use. Used by one thread.
 */
public final class RedisSuite implements AutoCloseable {
    /** For published results. Takes about fifteen minutes, and the same again for the scaling runs. */
    public static final Schedule FULL = new Schedule(3, 9, Duration.ofMillis(700));

    /** For a quick look, and to notice regressions. Takes at most ninety seconds. */
    public static final Schedule QUICK = new Schedule(1, 3, Duration.ofMillis(50)).within(Schedule.QUICK_TIME);

    private static final String VERSION = "redis_version:";
    private static final String OURS = "interlock";
    private static final String STRICT = "interlock_strict";
    private static final String FENCED_FLOOR = "raw_fenced";
    private static final String FLOOR = "raw";
    private static final String REDISSON = "redisson";
    private static final List<String> FEW_HOLDERS = List.of(OURS, FLOOR, REDISSON);

    private static final List<Metric> FREE =
            List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.CALLS, Metric.SERVER_CPU);
    private static final List<Metric> CONTENDED = List.of(
            Metric.OPS,
            Metric.P50,
            Metric.P99,
            Metric.P999,
            Metric.SHARE,
            Metric.CALLS,
            Metric.SERVER_CPU,
            Metric.LOST_UPDATES);
    private static final List<Metric> HAND_OFF =
            List.of(Metric.P50, Metric.P99, Metric.P999, Metric.CALLS, Metric.SERVER_CPU, Metric.LOST_UPDATES);
    private static final List<Metric> HELD = List.of(
            Metric.COMMANDS_PER_SECOND, Metric.CALLS_PER_SECOND, Metric.SERVER_LOAD, Metric.HEAP, Metric.THREADS);

    private final RedisServer server = RedisServer.own();
    private final RedisContenderSet contenderSet = new RedisContenderSet(this::uri, RedisContenderSet.LEASE);
    private final Map<String, RedisServer> holders = new HashMap<>();
    private final BenchProcesses processPool;
    private final Size size;

    /** Does not start a server yet. */
    RedisSuite(Size size) {
        this.size = size;
        this.processPool =
                new BenchProcesses(RedisContenderSource.class, this::uri, RedisContenderSet.LEASE, size.options);
    }

    /**
     * What makes a suite long or short, apart from its schedule.
     *
     * @param heldLocks the number of held leases
     * @param lineUp the contenders of each workload
     * @param heldLease the length of held leases. They are renewed after a third of it, so counting the renewals takes
     *     that long
     * @param freeWarmUps factor for the number of warm-up turns of the first uncontended workload
     * @param jitWarmUp how long each contender warms up the JIT compiler before its first turn
     * @param longTurns factor for the length of turns in which contenders poll or acquire many locks
     * @param fastTurns the number of warm-up turns with fast hand-overs
     * @param options JVM options of the processes
     */
    record Size(
            int heldLocks,
            LineUp lineUp,
            Duration heldLease,
            int freeWarmUps,
            Duration jitWarmUp,
            int longTurns,
            int fastTurns,
            List<String> options) {
        static final Size FULL =
                new Size(10_000, LineUp.ALL, Duration.ofSeconds(30), 2, Duration.ZERO, 1, 12, List.of());

        /**
         * The run is over before the C2 compiler has finished, so C2 would only take processor time from the server.
         */
        static final Size QUICK = new Size(
                10_000,
                LineUp.SOME,
                Duration.ofSeconds(6),
                1,
                Duration.ofMillis(300),
                2,
                2,
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dinterlock.bench.quick=true"));
    }

    /**
     * The contenders of each kind of workload.
     *
     * @param free uncontended locks
     * @param contended one contended lock
     * @param several several locks at once
     * @param holders held leases; each needs a process and a server
     */
    record LineUp(List<String> free, List<String> contended, List<String> several, List<String> holders) {
        private static final List<String> NAMES = List.of(
                OURS,
                FENCED_FLOOR,
                FLOOR,
                REDISSON,
                "redisson_fenced",
                "redisson_fair",
                "spring",
                "spring_pubsub",
                "shedlock");

        static final LineUp ALL = new LineUp(
                NAMES,
                NAMES,
                List.of(OURS, FLOOR, "redisson_multi", "redisson_group", "spring", "spring_pubsub", "shedlock"),
                List.of(OURS, FLOOR, REDISSON, "spring", "shedlock"));

        /**
         * Each contender only in the workloads that it is made for. With all of them in all workloads, ninety seconds
         * would not be enough turns.
         */
        static final LineUp SOME = new LineUp(
                List.of(OURS, FENCED_FLOOR, REDISSON, "redisson_fenced", "spring", "shedlock"),
                List.of(OURS, FENCED_FLOOR, REDISSON, "redisson_fair", "spring", "spring_pubsub"),
                List.of(OURS, FLOOR, "redisson_multi", "redisson_group", "spring", "shedlock"),
                FEW_HOLDERS);
    }

    /**
     * Creates the suite. Does not start a server yet.
     *
     * @param quick whether to run briefly: with shorter turns and leases, fewer holders, and processes without the C2
     *     compiler
     */
    public static RedisSuite create(boolean quick) {
        return new RedisSuite(quick ? Size.QUICK : Size.FULL);
    }

    /**
     * Starts the server that most workloads need.
     *
     * @return its name and version
     * @throws IllegalStateException if no server is available; the message says what to do
     */
    public String start() {
        server.start();
        return "Redis "
                + server.command("INFO", "server")
                        .lines()
                        .filter(line -> line.startsWith(VERSION))
                        .map(line -> line.substring(VERSION.length()))
                        .findFirst()
                        .orElse("");
    }

    private String uri() {
        server.start();
        return server.uri();
    }

    /**
     * Returns the suite. The first workloads run all the code of a contender and leave a processor for the JIT
     * compiler.
     */
    public Suite suite() {
        return new Suite(
                "redis",
                List.of(
                        ScheduledWorkload.withShare(
                                11,
                                ScheduledWorkload.withMoreWarmUps(
                                        size.freeWarmUps, free(1).withJitWarmUp(size.jitWarmUp))),
                        ScheduledWorkload.withShare(6, free(8)),
                        ScheduledWorkload.withShare(8, free(64)),
                        ScheduledWorkload.withShare(
                                9, ScheduledWorkload.withLongerTurns(size.longTurns, hotInOneProcess())),
                        ScheduledWorkload.withShare(
                                24,
                                ScheduledWorkload.withLongerTurns(
                                        size.longTurns,
                                        ProcessWorkload.hot(
                                                "hot_4p8t",
                                                4,
                                                contenders(size.lineUp.contended),
                                                CONTENDED,
                                                processPool))),
                        ScheduledWorkload.withShare(
                                10,
                                ScheduledWorkload.withLongerTurns(
                                        size.longTurns,
                                        ProcessWorkload.handOff(
                                                contenders(size.lineUp.contended),
                                                HAND_OFF,
                                                processPool,
                                                size.fastTurns))),
                        ScheduledWorkload.withShare(6, several(5)),
                        ScheduledWorkload.withShare(11, ScheduledWorkload.withLongerTurns(size.longTurns, several(20))),
                        ScheduledWorkload.withShare(
                                17,
                                held("held_" + size.heldLocks, size.heldLocks, size.lineUp.holders, size.heldLease))),
                List.of(
                        ScalingRun.ofKeys(this::keys),
                        ScalingRun.ofWaiters(this::waiters),
                        ScalingRun.ofHeldLocks((name, locks) -> held(name, locks, FEW_HOLDERS, size.heldLease)),
                        ScalingRun.ofProcesses(this::processes)),
                goals());
    }

    private ThreadedWorkload free(int threads) {
        return ThreadedWorkload.free(threads, contenders(size.lineUp.free), FREE, BenchPace.REMOTE_FREE);
    }

    private BenchWorkload hotInOneProcess() {
        List<String> names = new ArrayList<>(size.lineUp.contended);
        names.add(1, STRICT);
        return ThreadedWorkload.hot("hot_1p32t", 32, contenders(names), CONTENDED, BenchPace.REMOTE_CONTENDED);
    }

    /** Spring Integration and ShedLock acquire the locks one by one. */
    private BenchWorkload several(int locks) {
        return ThreadedWorkload.several(locks, contenders(size.lineUp.several), CONTENDED, BenchPace.REMOTE_CONTENDED);
    }

    private BenchWorkload held(String name, int locks, List<String> holderNames, Duration lease) {
        return LeasedWorkload.of(
                name,
                locks,
                lease,
                holderNames.stream()
                        .map(one -> metered(one, holders.computeIfAbsent(one, any -> RedisServer.own())))
                        .toList(),
                HELD,
                one -> new BenchProcesses(RedisContenderSource.class, () -> uriOf(one), lease, size.options),
                (one, names) -> RedisMeter.held(holder(one), names));
    }

    private BenchWorkload keys(String name, int locks) {
        return SpreadWorkload.outOf(
                locks,
                name,
                contenders(List.of(OURS, FENCED_FLOOR, FLOOR, REDISSON, "redisson_fenced", "spring", "shedlock")),
                FREE,
                () -> {});
    }

    /** Only the plain variant of Redisson: with two more variants, the step with a thousand threads took minutes. */
    private BenchWorkload waiters(String name, int threads) {
        return ThreadedWorkload.hot(
                name, threads, contenders(List.of(OURS, REDISSON)), CONTENDED, BenchPace.REMOTE_CONTENDED);
    }

    private BenchWorkload processes(String name, int processes) {
        return ProcessWorkload.hot(
                name,
                processes,
                contenders(List.of(OURS, FENCED_FLOOR, REDISSON, "redisson_fair", "spring_pubsub")),
                CONTENDED,
                processPool);
    }

    private String uriOf(String holder) {
        RedisServer its = holder(holder);
        its.start();
        return its.uri();
    }

    private RedisServer holder(String name) {
        return Objects.requireNonNull(holders.get(name), name);
    }

    private List<Contender> contenders(List<String> names) {
        return names.stream().map(name -> metered(name, server)).toList();
    }

    private Contender metered(String name, RedisServer on) {
        return contenderSet.named(name).metered(new RedisMeter(on, RedisContenderSet.sentBy(name)));
    }

    private static List<Goal> goals() {
        return List.of(
                Goal.ratioAtLeast("free_8t", OURS, Metric.OPS, FENCED_FLOOR, 0.85),
                Goal.ratioAtLeast("free_64t", OURS, Metric.OPS, FENCED_FLOOR, 0.90),
                Goal.ratioAtLeast("free_64t", OURS, Metric.OPS, "redisson_fenced", 3),
                Goal.ratioAtLeast("hot_1p32t", OURS, Metric.OPS, WorkloadResult.BEST_PEER, 20),
                Goal.atMost("hot_1p32t", OURS, Metric.SHARE, 2),
                Goal.ratioAtMost("hot_1p32t", OURS, Metric.P99, REDISSON, 0.1),
                Goal.ratioAtLeast("hot_1p32t", STRICT, Metric.OPS, WorkloadResult.BEST_PEER, 10),
                Goal.ratioAtLeast("hot_4p8t", OURS, Metric.OPS, WorkloadResult.BEST_PEER, 10),
                // Infinite if a thread starves.
                Goal.atMost("hot_4p8t", OURS, Metric.SHARE, 1.5),
                Goal.ratioAtMost("handoff_2p", OURS, Metric.P50, REDISSON, 0.5),
                Goal.atMost("handoff_2p", OURS, Metric.CALLS, 6),
                Goal.ratioAtLeast("multi_5", OURS, Metric.OPS, FLOOR, 0.75),
                Goal.ratioAtLeast("multi_5", OURS, Metric.OPS, "redisson_multi", 8),
                Goal.ratioAtLeast("multi_5", OURS, Metric.OPS, "redisson_group", 3),
                Goal.ratioAtLeast("multi_20", OURS, Metric.OPS, FLOOR, 0.75),
                Goal.ratioAtLeast("multi_20", OURS, Metric.OPS, "redisson_multi", 12),
                Goal.ratioAtLeast("multi_20", OURS, Metric.OPS, "redisson_group", 3),
                Goal.ratioAtMost("held_10000", OURS, Metric.COMMANDS_PER_SECOND, FLOOR, 1.5),
                Goal.atMost("held_10000", OURS, Metric.HEAP, 400),
                Goal.atMost("held_10000", OURS, Metric.THREADS, 50),
                Goal.atMost("hot_1p32t", OURS, Metric.LOST_UPDATES, 0),
                Goal.atMost("hot_1p32t", STRICT, Metric.LOST_UPDATES, 0),
                Goal.atMost("hot_4p8t", OURS, Metric.LOST_UPDATES, 0),
                Goal.atMost("handoff_2p", OURS, Metric.LOST_UPDATES, 0),
                Goal.atMost("multi_5", OURS, Metric.LOST_UPDATES, 0),
                Goal.atMost("multi_20", OURS, Metric.LOST_UPDATES, 0));
    }

    @Override
    public void close() {
        processPool.close();
        contenderSet.close();
        holders.values().forEach(RedisServer::close);
        server.close();
    }
}
