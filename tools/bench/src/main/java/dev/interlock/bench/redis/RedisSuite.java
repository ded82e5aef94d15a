package dev.interlock.bench.redis;

import dev.interlock.bench.Children;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Goal;
import dev.interlock.bench.Growth;
import dev.interlock.bench.LeasedWorkload;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Pace;
import dev.interlock.bench.ProcessWorkload;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Scheduled;
import dev.interlock.bench.SpreadWorkload;
import dev.interlock.bench.Suite;
import dev.interlock.bench.ThreadedWorkload;
import dev.interlock.bench.Workload;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;

/** The suite {@code redis}, with the servers and processes that it needs, which are started when they are. Used by one thread. */
public final class RedisSuite implements AutoCloseable {
    /** For figures to be published: about a quarter of an hour, and as long again for the growths. */
    public static final Schedule FULL = new Schedule(3, 9, Duration.ofMillis(700));

    /** For a look, and for noticing that something became slow: within a minute and a half. */
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
    private final RedisField field = new RedisField(this::uri, RedisField.LEASE);
    private final Map<String, RedisServer> holders = new HashMap<>();
    private final Children children;
    private final Size size;

    /** Without a server yet. */
    RedisSuite(Size size) {
        this.size = size;
        this.children = new Children(RedisContenders.class, this::uri, RedisField.LEASE, size.options);
    }

    /**
     * What makes a suite long or short, apart from its schedule.
     *
     * @param heldLocks how many leases are held
     * @param cast who takes part
     * @param heldLease how long they are; at a third of it they are renewed, and so long it takes to count renewals
     * @param freeWarmUps so many times as many turns to warm up there are for a free lock, with which a suite begins
     * @param shown for how long the compiler sees everyone before the first turn
     * @param patience so many times as long are turns in which somebody polls, or takes many locks
     * @param hurried how many turns runners hurry before their hand-offs count
     * @param options of the virtual machines of processes
     */
    record Size(
            int heldLocks,
            Cast cast,
            Duration heldLease,
            int freeWarmUps,
            Duration shown,
            int patience,
            int hurried,
            List<String> options) {
        static final Size FULL =
                new Size(10_000, Cast.EVERYONE, Duration.ofSeconds(30), 2, Duration.ZERO, 1, 12, List.of());

        /** The second compiler would still be at work when everything is over, on processors that others need. */
        static final Size QUICK = new Size(
                10_000,
                Cast.SOME,
                Duration.ofSeconds(6),
                1,
                Duration.ofMillis(300),
                2,
                2,
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dinterlock.bench.hasty=true"));
    }

    /**
     * Who takes part in what.
     *
     * @param free free locks
     * @param contended a lock that many want
     * @param several several locks at once
     * @param holders leases that are kept; each needs a process and a server
     */
    record Cast(List<String> free, List<String> contended, List<String> several, List<String> holders) {
        private static final List<String> ALL = List.of(
                OURS,
                FENCED_FLOOR,
                FLOOR,
                REDISSON,
                "redisson_fenced",
                "redisson_fair",
                "spring",
                "spring_pubsub",
                "shedlock");

        static final Cast EVERYONE = new Cast(
                ALL,
                ALL,
                List.of(OURS, FLOOR, "redisson_multi", "redisson_group", "spring", "spring_pubsub", "shedlock"),
                List.of(OURS, FLOOR, REDISSON, "spring", "shedlock"));

        /** Everyone where it is at home: with all of them everywhere nobody would have enough turns in a minute and a half. */
        static final Cast SOME = new Cast(
                List.of(OURS, FENCED_FLOOR, REDISSON, "redisson_fenced", "spring", "shedlock"),
                List.of(OURS, FENCED_FLOOR, REDISSON, "redisson_fair", "spring", "spring_pubsub"),
                List.of(OURS, FLOOR, "redisson_multi", "redisson_group", "spring", "shedlock"),
                FEW_HOLDERS);
    }

    /**
     * The suite, without a server yet.
     *
     * @param quick whether it is over soon: with turns and leases that are shorter, fewer holders of these, and processes that do not compile as well
     */
    public static RedisSuite create(boolean quick) {
        return new RedisSuite(quick ? Size.QUICK : Size.FULL);
    }

    /**
     * Starts the server that most workloads need.
     *
     * @return its name and version
     * @throws IllegalStateException if there is none to be had; the message says what to do
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

    /** The suite. It begins with what shows the compiler all of a contender and leaves it a processor. */
    public Suite suite() {
        return new Suite(
                "redis",
                List.of(
                        Scheduled.sharing(11, Scheduled.warmedUpLonger(size.freeWarmUps, free(1).shownFor(size.shown))),
                        Scheduled.sharing(6, free(8)),
                        Scheduled.sharing(8, free(64)),
                        Scheduled.sharing(9, Scheduled.longer(size.patience, hotInOneProcess())),
                        Scheduled.sharing(
                                24,
                                Scheduled.longer(
                                        size.patience,
                                        ProcessWorkload.hot(
                                                "hot_4p8t", 4, contenders(size.cast.contended), CONTENDED, children))),
                        Scheduled.sharing(
                                10,
                                Scheduled.longer(
                                        size.patience,
                                        ProcessWorkload.handOff(
                                                contenders(size.cast.contended), HAND_OFF, children, size.hurried))),
                        Scheduled.sharing(6, several(5)),
                        Scheduled.sharing(11, Scheduled.longer(size.patience, several(20))),
                        Scheduled.sharing(
                                17, held("held_" + size.heldLocks, size.heldLocks, size.cast.holders, size.heldLease))),
                List.of(
                        Growth.ofKeys(this::keys),
                        Growth.ofWaiters(this::waiters),
                        Growth.ofHeldLocks((name, locks) -> held(name, locks, FEW_HOLDERS, size.heldLease)),
                        Growth.ofProcesses(this::processes)),
                goals());
    }

    private ThreadedWorkload free(int threads) {
        return ThreadedWorkload.free(threads, contenders(size.cast.free), FREE, Pace.REMOTE_FREE);
    }

    private Workload hotInOneProcess() {
        List<String> who = new ArrayList<>(size.cast.contended);
        who.add(1, STRICT);
        return ThreadedWorkload.hot("hot_1p32t", 32, contenders(who), CONTENDED, Pace.REMOTE_CONTENDED);
    }

    /** Spring Integration and ShedLock take them one by one. */
    private Workload several(int locks) {
        return ThreadedWorkload.several(locks, contenders(size.cast.several), CONTENDED, Pace.REMOTE_CONTENDED);
    }

    private Workload held(String name, int locks, List<String> who, Duration lease) {
        return LeasedWorkload.of(
                name,
                locks,
                lease,
                who.stream()
                        .map(one -> metered(one, holders.computeIfAbsent(one, any -> RedisServer.own())))
                        .toList(),
                HELD,
                one -> new Children(RedisContenders.class, () -> uriOf(one), lease, size.options),
                (one, names) -> RedisMeter.held(holder(one), names));
    }

    private Workload keys(String name, int locks) {
        return SpreadWorkload.outOf(
                locks,
                name,
                contenders(List.of(OURS, FENCED_FLOOR, FLOOR, REDISSON, "redisson_fenced", "spring", "shedlock")),
                FREE,
                () -> {});
    }

    /** Of the others only the plain one: with two more of them the step of a thousand took minutes. */
    private Workload waiters(String name, int threads) {
        return ThreadedWorkload.hot(
                name, threads, contenders(List.of(OURS, REDISSON)), CONTENDED, Pace.REMOTE_CONTENDED);
    }

    private Workload processes(String name, int processes) {
        return ProcessWorkload.hot(
                name,
                processes,
                contenders(List.of(OURS, FENCED_FLOOR, REDISSON, "redisson_fair", "spring_pubsub")),
                CONTENDED,
                children);
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
        return field.named(name).metered(new RedisMeter(on, RedisField.sentBy(name)));
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
                // A thread that is starved makes it infinite.
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
        children.close();
        field.close();
        holders.values().forEach(RedisServer::close);
        server.close();
    }
}
