package dev.interlock.bench.jdbc;

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
import dev.interlock.bench.WaitingWorkload;
import dev.interlock.bench.Workload;
import dev.interlock.bench.WorkloadResult;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The suites {@code postgres} and {@code mariadb}, with the servers and processes that one of them needs, which are started when they are.
 * Used by one thread.
 *
 * <p>What locks leave in the tables stays there: growths run last, or everyone would take their first steps in tables of a million rows.
 */
public final class JdbcSuite implements AutoCloseable {
    /** For figures to be published: about ten minutes, and as long again for the growths. */
    public static final Schedule FULL = new Schedule(3, 9, Duration.ofMillis(700));

    /** For a look, and for noticing that something became slow: within a minute and a half. */
    public static final Schedule QUICK = new Schedule(1, 3, Duration.ofMillis(60)).within(Schedule.QUICK_TIME);

    private static final String OURS = "interlock";
    private static final String FLOOR = "raw";
    private static final String ADVISORY = "advisory_blocking";
    private static final String SPRING = "spring";

    private static final List<String> CONTENDING = List.of(OURS, FLOOR, ADVISORY, "advisory", SPRING, "shedlock");
    private static final List<String> BESIDE_A_SOURCE = List.of(FLOOR, ADVISORY, SPRING, "shedlock");

    /** Those who renew many leases with few statements. */
    private static final List<String> FEW_HOLDERS = List.of(OURS, FLOOR);

    private static final List<Metric> FREE = List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.CALLS);
    private static final List<Metric> CONTENDED =
            List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.P999, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES);
    private static final List<Metric> HAND_OFF =
            List.of(Metric.P50, Metric.P99, Metric.P999, Metric.CALLS, Metric.LOST_UPDATES);
    private static final List<Metric> HELD =
            List.of(Metric.COMMANDS_PER_SECOND, Metric.CALLS_PER_SECOND, Metric.HEAP, Metric.THREADS);

    private final String name;
    private final Product product;
    private final Size size;
    private final JdbcField field;
    private final Children children;
    private final Map<String, Database> holders = new HashMap<>();
    private @Nullable Database database;
    private int used;

    /**
     * What makes a suite long or short, apart from its schedule.
     *
     * @param usedLocks how many locks everyone's table has before the first workload. In one with a handful of rows PostgreSQL reads all of
     *     them instead of an index once it has counted them, which happens at some moment of its own choice
     * @param heldLocks how many leases are held
     * @param holders who holds them; each needs a process and a server
     * @param heldLease how long they are; at a third of it they are renewed, and so long it takes to count renewals
     * @param freeWarmUps so many times as many turns to warm up there are for free locks, with which a suite begins
     * @param shown for how long the compiler sees everyone before the first turn
     * @param patience so many times as long are turns in which somebody polls, or takes many locks
     * @param hurried how many turns runners hurry before their hand-offs count
     * @param waiting whether what a waiter costs the server is counted, for which long turns are needed
     * @param sourceThreads with how many threads free locks are also taken over a data source of the application
     * @param options of the virtual machines of processes
     */
    record Size(
            int usedLocks,
            int heldLocks,
            List<String> holders,
            Duration heldLease,
            int freeWarmUps,
            Duration shown,
            int patience,
            int hurried,
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

        /** The second compiler would still be at work when everything is over, on processors that others need. */
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
                List.of("-XX:TieredStopAtLevel=1", "-XX:+UseSerialGC", "-Dinterlock.bench.hasty=true"));
    }

    /** Without a server yet. */
    JdbcSuite(String name, Product product, Size size) {
        this.name = name;
        this.product = product;
        this.size = size;
        this.field = new JdbcField(product, this::url, JdbcField.LEASE);
        this.children = new Children(JdbcContenders.class, this::url, JdbcField.LEASE, size.options);
    }

    /**
     * The suite {@code postgres}, without a server yet.
     *
     * @param quick whether it is over soon: with turns and leases that are shorter, fewer holders of these, and processes that do not compile as well
     */
    public static JdbcSuite postgres(boolean quick) {
        return new JdbcSuite("postgres", Product.POSTGRESQL, quick ? Size.QUICK : Size.FULL);
    }

    /**
     * The suite {@code mariadb}, without a server yet.
     *
     * @param quick whether it is over soon: with turns and leases that are shorter, fewer holders of these, and processes that do not compile as well
     */
    public static JdbcSuite mariaDb(boolean quick) {
        return new JdbcSuite("mariadb", Product.MARIADB, quick ? Size.QUICK : Size.FULL);
    }

    /**
     * Starts the server that most workloads need.
     *
     * @return its name and version
     * @throws IllegalStateException if there is none to be had; the message says what to do
     */
    public String start() {
        return database().version();
    }

    private Database database() {
        Database known = database;
        if (known == null) {
            known = Database.start(product);
            database = known;
            use(size.usedLocks);
        }
        return known;
    }

    private String url() {
        return database().url();
    }

    /** Gives everyone's table the rows of so many locks, if it does not have them yet. */
    private void use(int locks) {
        Database filled = database();
        if (locks > used) {
            filled.leaveUsed(locks);
            used = locks;
        }
    }

    /** The suite. It begins with what shows the compiler all of a contender and leaves it a processor. */
    public Suite suite() {
        List<Workload> workloads = new ArrayList<>(List.of(
                Scheduled.sharing(11, Scheduled.warmedUpLonger(size.freeWarmUps, free(1).shownFor(size.shown))),
                Scheduled.sharing(7, Scheduled.warmedUpLonger(size.freeWarmUps, free(8))),
                Scheduled.sharing(9, free(64)),
                Scheduled.sharing(13, Scheduled.longer(size.patience, hotInOneProcess())),
                Scheduled.sharing(
                        22,
                        Scheduled.longer(
                                size.patience,
                                ProcessWorkload.hot("hot_4p8t", 4, contenders(CONTENDING), CONTENDED, children))),
                Scheduled.sharing(
                        12,
                        Scheduled.longer(
                                size.patience,
                                ProcessWorkload.handOff(contenders(CONTENDING), HAND_OFF, children, size.hurried))),
                Scheduled.sharing(8, several(5)),
                Scheduled.sharing(13, Scheduled.longer(size.patience, several(20)))));
        if (size.waiting) {
            workloads.add(waiting());
        }
        size.sourceThreads.forEach(threads -> workloads.add(overSource(threads)));
        workloads.add(Scheduled.sharing(18, held("held_" + size.heldLocks, size.heldLocks, size.holders)));
        return new Suite(
                name,
                workloads,
                List.of(
                        Growth.ofKeys(this::keys),
                        Growth.ofWaiters(this::waiters),
                        Growth.ofHeldLocks((step, locks) -> held(step, locks, FEW_HOLDERS)),
                        Growth.ofProcesses(this::processes)),
                goals());
    }

    private ThreadedWorkload free(int threads) {
        return ThreadedWorkload.free(threads, contenders(CONTENDING), FREE, Pace.REMOTE_FREE);
    }

    /**
     * The same with ours over a data source. Late, and not beside the other one: no application has both ways of ours, and the compiler would make
     * one code for both.
     */
    private Workload overSource(int threads) {
        List<Contender> all = new ArrayList<>(
                List.of(field.pooled().metered(() -> database().meter().read())));
        all.addAll(contenders(BESIDE_A_SOURCE));
        ThreadedWorkload free = ThreadedWorkload.free(threads, all, FREE, Pace.REMOTE_FREE);
        return free.named("source_" + threads + 't', free.title() + "; ours over a data source of the application");
    }

    private Workload hotInOneProcess() {
        return ThreadedWorkload.hot("hot_1p32t", 32, contenders(CONTENDING), CONTENDED, Pace.REMOTE_CONTENDED);
    }

    private Workload waiting() {
        return Scheduled.seldom(
                new WaitingWorkload("waiting", "one waits for a lock that another one holds", contenders(CONTENDING)));
    }

    /** All but ours take them one by one. */
    private Workload several(int locks) {
        return ThreadedWorkload.several(locks, contenders(CONTENDING), CONTENDED, Pace.REMOTE_CONTENDED);
    }

    private Workload held(String workload, int locks, List<String> who) {
        return LeasedWorkload.of(
                workload,
                locks,
                size.heldLease,
                who.stream()
                        .map(holder -> field.named(holder)
                                .metered(() -> databaseOf(holder).meter().read()))
                        .toList(),
                HELD,
                holder -> new Children(
                        JdbcContenders.class, () -> databaseOf(holder).url(), size.heldLease, size.options),
                (holder, names) -> databaseOf(holder).held(holder, names));
    }

    private Database databaseOf(String holder) {
        return holders.computeIfAbsent(holder, any -> Database.start(product));
    }

    private Workload keys(String workload, int locks) {
        return SpreadWorkload.outOf(locks, workload, contenders(CONTENDING), FREE, () -> use(locks));
    }

    private Workload waiters(String workload, int threads) {
        return ThreadedWorkload.hot(
                workload, threads, contenders(List.of(OURS, ADVISORY)), CONTENDED, Pace.REMOTE_CONTENDED);
    }

    private Workload processes(String workload, int processes) {
        return ProcessWorkload.hot(
                workload, processes, contenders(List.of(OURS, FLOOR, ADVISORY, SPRING)), CONTENDED, children);
    }

    private List<Contender> contenders(List<String> names) {
        return names.stream()
                .map(one -> field.named(one).metered(() -> database().meter().read()))
                .toList();
    }

    private List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        goals.add(Goal.atMost("free_1t", OURS, Metric.CALLS, 2));
        goals.add(Goal.atMost("free_8t", OURS, Metric.CALLS, 2));
        if (product == Product.POSTGRESQL) {
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
        children.close();
        holders.values().forEach(Database::close);
        if (database != null) {
            database.close();
        }
    }
}
