package dev.interlock.bench.jdbc;

import dev.interlock.bench.Children;
import dev.interlock.bench.Contender;
import dev.interlock.bench.Goal;
import dev.interlock.bench.LongWarmUp;
import dev.interlock.bench.Metric;
import dev.interlock.bench.Pace;
import dev.interlock.bench.ProcessWorkload;
import dev.interlock.bench.Reach;
import dev.interlock.bench.Schedule;
import dev.interlock.bench.Suite;
import dev.interlock.bench.ThreadedWorkload;
import dev.interlock.bench.WaitingWorkload;
import dev.interlock.bench.Workload;
import dev.interlock.bench.WorkloadResult;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.SqlServer;
import java.sql.SQLException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Stream;

/**
 * The suites {@code postgres} and {@code mariadb}, with the server and processes that one of them needs. Used by one thread.
 *
 * <p>The servers do not wait for the disk when they commit. Everyone would wait for it equally, and what is compared would be the disk with
 * itself.
 */
public final class JdbcSuite implements AutoCloseable {
    /** For figures to be published: about eight minutes. */
    public static final Schedule FULL = new Schedule(2, 9, Duration.ofMillis(700));

    /** For a look, and for noticing that something became slow: about a minute. */
    public static final Schedule QUICK = new Schedule(1, 3, Duration.ofMillis(200));

    /** The second compiler would still be at work when everything is over, on processors that others need. */
    private static final List<String> QUICK_OPTIONS = List.of("-XX:TieredStopAtLevel=1");

    /** Everyone keeps a pool open in each of four processes. */
    private static final String MOST_CONNECTIONS = "600";

    /** How many locks everyone's table has before the first workload. */
    private static final int LOCKS = 1000;

    private static final int FEW_LOCKS = 300;

    private static final String OURS = "interlock";
    private static final String FLOOR = "raw";
    private static final String ADVISORY = "advisory";

    private final String name;
    private final SqlServer server;
    private final JdbcField field;
    private final StatementMeter meter;
    private final Children children;
    private final boolean postgres;

    private JdbcSuite(String name, SqlServer server, String url, StatementMeter meter, boolean quick)
            throws SQLException {
        this.name = name;
        this.server = server;
        this.field = new JdbcField(url, JdbcField.LEASE);
        this.meter = meter;
        this.children =
                new Children(JdbcContenders.class, () -> url, JdbcField.LEASE, quick ? QUICK_OPTIONS : List.of());
        this.postgres = Product.of(url) == Product.POSTGRESQL;
        Product.createTables(url);
        field.fill(quick ? FEW_LOCKS : LOCKS);
    }

    /**
     * Starts PostgreSQL for the suite {@code postgres}.
     *
     * @param quick whether it is over soon: processes do not compile as well then
     * @throws IllegalStateException if there is none to be had; the message says what to do
     */
    public static JdbcSuite postgres(boolean quick) {
        PostgresServer server = PostgresServer.own()
                .with("max_connections", MOST_CONNECTIONS)
                .with("synchronous_commit", "off")
                .with("shared_preload_libraries", "pg_stat_statements");
        return started(server, () -> {
            String url = server.freshDatabase();
            return new JdbcSuite("postgres", server, url, StatementMeter.of(server, url), quick);
        });
    }

    /**
     * Starts MariaDB for the suite {@code mariadb}.
     *
     * @param quick whether it is over soon: processes do not compile as well then
     * @throws IllegalStateException if there is none to be had; the message says what to do
     */
    public static JdbcSuite mariaDb(boolean quick) {
        MariaDbServer server = MariaDbServer.own()
                .with("max_connections", MOST_CONNECTIONS)
                .with("innodb_flush_log_at_trx_commit", "0");
        return started(
                server,
                () -> new JdbcSuite("mariadb", server, server.freshDatabase(), StatementMeter.of(server), quick));
    }

    private interface Start {
        JdbcSuite run() throws SQLException;
    }

    private static JdbcSuite started(SqlServer server, Start start) {
        server.start();
        try {
            return start.run();
        } catch (SQLException | RuntimeException e) {
            server.close();
            throw new IllegalStateException("The database for the suite could not be prepared", e);
        }
    }

    /** The suite. It begins with what shows the compiler all of a contender and leaves it a processor. */
    public Suite suite() {
        return new Suite(
                name,
                List.of(
                        new LongWarmUp(free(1), 6),
                        new LongWarmUp(free(8), 2),
                        hotInOneProcess(),
                        hotInFourProcesses(),
                        new LongWarmUp(handOff(), 2),
                        waiting(),
                        several(5),
                        several(20)),
                goals());
    }

    private Workload free(int threads) {
        return new ThreadedWorkload(
                "free_" + threads + 't',
                threads == 1
                        ? "one thread acquires and releases a lock that nobody else wants"
                        : threads + " threads, each with a lock that nobody else wants",
                everyoneAndPooled(),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.CALLS),
                threads,
                Reach.own(),
                Pace.REMOTE_FREE);
    }

    private Workload hotInOneProcess() {
        return new ThreadedWorkload(
                "hot_1p32t",
                "one lock passed between 32 threads of one process",
                everyone(),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES),
                32,
                Reach.hot(),
                Pace.REMOTE_CONTENDED);
    }

    private Workload hotInFourProcesses() {
        return new ProcessWorkload(
                "hot_4p8t",
                "one lock passed between 4 processes with 8 threads each",
                everyone(),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.SHARE, Metric.CALLS, Metric.LOST_UPDATES),
                children,
                4,
                new ProcessWorkload.Task.Threads(8));
    }

    private Workload handOff() {
        return new ProcessWorkload(
                "handoff_2p",
                "one lock passed back and forth between 2 processes; times from the call of release until the other has it",
                everyone(),
                List.of(Metric.P50, Metric.P99, Metric.CALLS, Metric.LOST_UPDATES),
                children,
                2,
                new ProcessWorkload.Task.HandOff());
    }

    private Workload waiting() {
        return new WaitingWorkload("waiting", "one waits for a lock that another one holds", everyone());
    }

    private Workload several(int locks) {
        return new ThreadedWorkload(
                "multi_" + locks,
                "16 threads, each operation takes " + locks + " of 1000 locks; the floor takes them one by one",
                contenders(OURS, FLOOR),
                List.of(Metric.OPS, Metric.P50, Metric.P99, Metric.CALLS, Metric.LOST_UPDATES),
                16,
                Reach.several(locks, 1000),
                Pace.REMOTE_CONTENDED);
    }

    private List<Contender> everyone() {
        return field.all().stream().map(one -> one.metered(meter)).toList();
    }

    private List<Contender> everyoneAndPooled() {
        return Stream.concat(everyone().stream(), Stream.of(field.pooled().metered(meter)))
                .toList();
    }

    private List<Contender> contenders(String... names) {
        return Stream.of(names).map(one -> field.named(one).metered(meter)).toList();
    }

    private List<Goal> goals() {
        List<Goal> goals = new ArrayList<>();
        goals.add(Goal.atMost("free_1t", OURS, Metric.CALLS, 2));
        goals.add(Goal.atMost("free_8t", OURS, Metric.CALLS, 2));
        if (postgres) {
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
        try {
            meter.close();
        } catch (SQLException e) {
            throw new IllegalStateException("The meter's connection could not be closed", e);
        } finally {
            server.close();
        }
    }
}
