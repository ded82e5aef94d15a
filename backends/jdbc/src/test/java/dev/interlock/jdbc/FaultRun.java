package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.Interlock;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.history.Expectations;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workers;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.Stream;

/**
 * One fault test on a real server: a namespace of its own, a proxy in front of the server, clients that write down what they do, a
 * fenced resource with its unfenced twin, and at the end the verdict on the history.
 *
 * <p>Used by the test's own thread; clients have threads of their own.
 */
final class FaultRun implements AutoCloseable {
    /** How many connections a client of this run may have. */
    static final int POOL = 6;

    /** How many of them it keeps at hand for the threads of its callers. */
    private static final int KEPT = 2;

    private final FaultDatabase database;
    private final Framing framing;
    private final String namespace = UUID.randomUUID().toString();
    private final JudgedRun judged;
    private final List<FaultProxy> proxies = new CopyOnWriteArrayList<>();
    private final List<HikariDataSource> pools = new CopyOnWriteArrayList<>();
    private final FaultProxy proxy;

    FaultRun(FaultDatabase database) {
        this(database, database.framing());
    }

    /** With a proxy that knows less of messages. */
    FaultRun(FaultDatabase database, Framing framing) {
        this.database = database;
        this.framing = framing;
        this.proxy = newProxy();
        this.judged = new JudgedRun(
                () -> JdbcForWorkers.patiently(Pools.of(database.url(), POOL), namespace),
                WorkerSetup.of(JdbcForWorkers.class, database.url(proxy), namespace));
    }

    /** Worker processes behind the proxy. */
    List<Worker> startWorkers(int count) {
        return workers().startMore(count);
    }

    Workers workers() {
        return judged.workers();
    }

    /** Another way to the same server, to be disturbed alone. */
    FaultProxy newProxy() {
        FaultProxy made = database.proxy(framing);
        proxies.add(made);
        return made;
    }

    FaultProxy proxy() {
        return proxy;
    }

    Recorder recorder() {
        return judged.recorder();
    }

    // ---- clients ------------------------------------------------------------------------------------------------

    /** A client behind the proxy. */
    JudgedClient client(String name) {
        return client(name, proxy, backend -> backend, options -> options);
    }

    /** A client that no fault of the network touches. */
    JudgedClient direct(String name) {
        return client(name, database.url(), backend -> backend, options -> options);
    }

    /** A client whose sessions have settings of their own. */
    JudgedClient directWith(String name, String parameters) {
        return client(name, database.url() + parameters, backend -> backend, options -> options);
    }

    JudgedClient client(
            String name,
            FaultProxy through,
            UnaryOperator<JdbcBackend.Builder> backend,
            UnaryOperator<Interlock.Builder> options) {
        return client(name, database.url(through), backend, options);
    }

    private JudgedClient client(
            String name,
            String url,
            UnaryOperator<JdbcBackend.Builder> backend,
            UnaryOperator<Interlock.Builder> options) {
        HikariDataSource pool = Pools.of(url, POOL);
        pools.add(pool);
        JdbcBackend.Builder builder = JdbcBackend.builder(pool)
                .namespace(namespace)
                .silence(JudgedRun.SLACK)
                .keepConnections(KEPT);
        return judged.client(name, new PooledBackend(backend.apply(builder).build(), pool), options);
    }

    /** A key that the fenced resource keeps. */
    LockKey key(String id) {
        return judged.key(id);
    }

    /** A key that the unfenced twin keeps. */
    LockKey unfencedKey(String id) {
        return judged.unfencedKey(id);
    }

    // ---- what the server has ------------------------------------------------------------------------------------

    /** The requests that carry one of the statements, known by how it begins. */
    Matching statement(String name) {
        return Matching.requestContaining(beginningOf(name));
    }

    private String beginningOf(String name) {
        String text = new Statements(database.dialect(), new Overdue()).get(name);
        return text.substring(0, text.indexOf('?'));
    }

    /** Everything that extends leases: the first try, and those that come while it is under way. */
    Matching anyRenewal() {
        List<String> beginnings = (database.dialect() == Dialect.POSTGRESQL
                        ? Stream.of("extend", "extend-many", "lock-free")
                        : Stream.of("extend", "lock-free"))
                .map(this::beginningOf)
                .toList();
        return Matching.request(bytes -> {
            String message = new String(bytes, StandardCharsets.ISO_8859_1);
            return beginnings.stream().anyMatch(message::contains);
        });
    }

    /** The number of the grant that the server has on record. */
    long recordedGrant(LockKey key) {
        return database.number(
                "SELECT number FROM interlock_lock WHERE namespace = ? AND name = ? AND owner IS NOT NULL",
                namespace,
                key.name());
    }

    /** The newest number of this lock, whoever has it. */
    long counter(LockKey key) {
        return database.number(
                "SELECT number FROM interlock_lock WHERE namespace = ? AND name = ?", namespace, key.name());
    }

    long millisLeft(LockKey key) {
        return database.number(
                "SELECT (GREATEST(lease_end, record_end) - "
                        + database.dialect().now()
                        + ") / 1000 FROM interlock_lock WHERE namespace = ? AND name = ? AND owner IS NOT NULL",
                namespace,
                key.name());
    }

    boolean hasQueue(LockKey key) {
        return database.number(
                        "SELECT (SELECT COUNT(*) FROM interlock_waiter WHERE namespace = ? AND name = ?)"
                                + " + (SELECT COUNT(*) FROM interlock_lock WHERE namespace = ? AND name = ? AND crowded = 2)",
                        namespace,
                        key.name(),
                        namespace,
                        key.name())
                > 0;
    }

    /** How many grants and places in queues there are that have not ended. */
    long leftovers() {
        String now = database.dialect().now();
        return database.number(
                "SELECT (SELECT COUNT(*) FROM interlock_lock WHERE namespace = ? AND (crowded = 2 OR owner IS NOT NULL"
                        + " AND GREATEST(lease_end, record_end) > " + now + ")"
                        + ") + (SELECT COUNT(*) FROM interlock_holder WHERE namespace = ? AND record_end > " + now
                        + ") + (SELECT COUNT(*) FROM interlock_waiter WHERE namespace = ?)",
                namespace,
                namespace,
                namespace);
    }

    /** How many connections the clients' pools have lent out; on PostgreSQL each client keeps one to listen. */
    int lent() {
        return pools.stream()
                .mapToInt(pool -> pool.getHikariPoolMXBean().getActiveConnections())
                .sum();
    }

    // ---- faults ----------------------------------------------------------------------------------------------

    JudgedRun.Injected inject(String kind, Supplier<Fault> fault) {
        return judged.inject(kind, fault);
    }

    void strike(String kind, Supplier<Integer> action) {
        judged.strike(kind, action);
    }

    // ---- the verdict --------------------------------------------------------------------------------------------

    /** See {@link JudgedRun#assertClean(String, String...)}. */
    Verdict assertClean(String title, String... faults) {
        return judged.assertClean(database.dialect() + " " + title, faults);
    }

    /** See {@link JudgedRun#assertClean(String, UnaryOperator)}. */
    Verdict assertClean(String title, UnaryOperator<Expectations> faults) {
        return judged.assertClean(database.dialect() + " " + title, faults);
    }

    @Override
    public void close() {
        judged.close();
        proxies.forEach(FaultProxy::close);
    }
}
