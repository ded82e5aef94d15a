package dev.interlock.bench.redis;

import dev.interlock.bench.Children;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Goal;
import dev.interlock.bench.LeasedWorkload;
import dev.interlock.bench.LongWarmUp;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Pace;
import dev.interlock.bench.ProcessWorkload;
import dev.interlock.bench.Reach;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Suite;
import dev.interlock.bench.ThreadedWorkload;
import dev.interlock.bench.Workload;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.stream.Stream;

/** The suite {@code redis}, with the servers and processes that it needs. Used by one thread. */
public final class RedisSuite implements AutoCloseable {
    /** For figures to be published: about a quarter of an hour. */
    public static final Schedule FULL = new Schedule(2, 9, Duration.ofMillis(700));

    /** For a look, and for noticing that something became slow: about a minute and a half. */
    public static final Schedule QUICK = new Schedule(1, 3, Duration.ofMillis(150));

    private static final String OURS = "interlock";
    private static final String STRICT = "interlock_strict";
    private static final String FENCED_FLOOR = "raw_fenced";
    private static final String FLOOR = "raw";
    private static final String REDISSON = "redisson";

    private final RedisServer server = RedisServer.own();
    private final RedisField field = new RedisField(server::uri, RedisField.LEASE);
    private final Map<String, RedisServer> holders = new HashMap<>();
    private final Children children;
    private final Size size;

    /** Starts a server. */
    RedisSuite(Size size) {
        this.size = size;
        server.start();
        this.children = new Children(RedisContenders.class, server::uri, RedisField.LEASE, size.options);
    }

    /**
     * What makes a suite long or short, apart from its schedule.
     *
     * @param heldLocks how many leases are held
     * @param holders who holds them; each needs a process and a server
     * @param heldLease how long they are; at a third of it they are renewed, and so long it takes to count renewals
     * @param options of the virtual machines of processes
     */
    record Size(int heldLocks, List<String> holders, Duration heldLease, List<String> options) {
        static final Size FULL =
                new Size(10_000, List.of(OURS, FLOOR, REDISSON, "spring"), Duration.ofSeconds(30), List.of());

        /** The second compiler would still be at work when everything is over, on processors that others need. */
        static final Size QUICK = new Size(
                10_000, List.of(OURS, FLOOR, REDISSON), Duration.ofSeconds(6), List.of("-XX:TieredStopAtLevel=1"));
    }

    /**
     * Starts a server for the whole suite.
     *
     * @throws IllegalStateException if there is none to be had; the message says what to do
     */
    public static RedisSuite start() {
        return new RedisSuite(Size.FULL);
    }

    /** Starts a server for a suite that is over soon: held leases are shorter, processes do not compile as well. */
    public static RedisSuite startQuick() {
        return new RedisSuite(Size.QUICK);
    }

    /** The suite. It begins with what shows the compiler the most of each contender. */
    public Suite suite() {
        return new Suite(
                "redis",
                List.of(
                        new LongWarmUp(free(64), 2),
                        free(8),
                        free(1),
                        hotInOneProcess(),
                        hotInFourProcesses(),
                        handOff(),
                        several(5),
                        several(20),
                        held()),
                goals());
    }

    private Workload free(int threads) {
        return new ThreadedWorkload(
                "free_" + threads + 't',
                threads == 1
                        ? "one thread acquires and releases a lock that nobody else wants"
                        : threads + " threads, each with a lock that nobody else wants",
                contenders(
                        OURS,
                        FENCED_FLOOR,
                        FLOOR,
                        REDISSON,
                        "redisson_fenced",
                        "redisson_fair",
                        "spring",
                        "spring_pubsub",
                        "shedlock"),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.CALLS, Metric.SERVER_CPU),
                threads,
                Reach.own(),
                Pace.REMOTE_FREE);
    }

    private Workload hotInOneProcess() {
        return new ThreadedWorkload(
                "hot_1p32t",
                "one lock passed between 32 threads of one process",
                contenders(
                        OURS,
                        STRICT,
                        FENCED_FLOOR,
                        FLOOR,
                        REDISSON,
                        "redisson_fenced",
                        "redisson_fair",
                        "spring",
                        "spring_pubsub",
                        "shedlock"),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES),
                32,
                Reach.hot(),
                Pace.REMOTE_CONTENDED);
    }

    private Workload hotInFourProcesses() {
        return new ProcessWorkload(
                "hot_4p8t",
                "one lock passed between 4 processes with 8 threads each",
                waiting(),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES),
                children,
                4,
                new ProcessWorkload.Task.Threads(8));
    }

    private Workload handOff() {
        return new ProcessWorkload(
                "handoff_2p",
                "one lock passed back and forth between 2 processes; times from the call of release until the other has it",
                waiting(),
                List.of(Metric.P50, Metric.P99, Metric.CALLS, Metric.LOST_UPDATES),
                children,
                2,
                new ProcessWorkload.Task.HandOff());
    }

    private List<Contender> waiting() {
        return contenders(
                OURS,
                FENCED_FLOOR,
                FLOOR,
                REDISSON,
                "redisson_fenced",
                "redisson_fair",
                "spring",
                "spring_pubsub",
                "shedlock");
    }

    private Workload several(int locks) {
        return new ThreadedWorkload(
                "multi_" + locks,
                "16 threads, each operation takes " + locks + " of 1000 locks at once",
                contenders(OURS, FLOOR, "redisson_multi", "redisson_group"),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.CALLS, Metric.SERVER_CPU, Metric.LOST_UPDATES),
                16,
                Reach.several(locks, 1000),
                Pace.REMOTE_CONTENDED);
    }

    private Workload held() {
        return new LeasedWorkload(
                "held_" + size.heldLocks,
                size.heldLocks + " leases of " + size.heldLease.toSeconds() + " s, kept alive",
                size.holders.stream()
                        .map(name -> metered(name, holders.computeIfAbsent(name, any -> RedisServer.own())))
                        .toList(),
                name -> new Children(RedisContenders.class, () -> uriOf(name), size.heldLease, size.options),
                size.heldLocks,
                size.heldLease.dividedBy(3));
    }

    private String uriOf(String holder) {
        RedisServer its = Objects.requireNonNull(holders.get(holder), holder);
        its.start();
        return its.uri();
    }

    private List<Contender> contenders(String... names) {
        return Stream.of(names).map(name -> metered(name, server)).toList();
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
