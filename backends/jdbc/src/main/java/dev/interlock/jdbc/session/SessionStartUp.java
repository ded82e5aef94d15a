package dev.interlock.jdbc.session;

import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.transactions.internal.Dialect;
import dev.interlock.transactions.internal.Durability;
import dev.interlock.transactions.internal.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Checks a database, and the network path to it, before it is used for session locks, so that whatever would break them
 * is reported at the start and by name.
 */
final class SessionStartUp {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** How long a server may take to end a session whose connection was closed. */
    private static final Duration MAX_END_TIME = Duration.ofSeconds(10);

    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final SessionConnector connector;
    private final SessionLocks locks;
    private final SessionOptions options;

    SessionStartUp(SessionConnector connector, SessionLocks locks, SessionOptions options) {
        this.connector = connector;
        this.locks = locks;
        this.options = options;
    }

    /** The result of the checks. */
    record Found(SharedSession session, NamespaceRow agreement, boolean strict) {}

    /** A server, and the id of a session there whose connection has been closed. */
    private record Server(String name, Dialect dialect, boolean durable, long closedSession) {}

    Found check() {
        Server server;
        try {
            server = checkServer();
            refusePools(server.closedSession(), server.name());
        } catch (SQLException e) {
            throw new StoreUnavailableException("No connection to the database of the locks: " + e.getMessage(), e);
        }
        SharedSession session = new SharedSession(
                connector,
                locks,
                server.name(),
                server.dialect(),
                options.silenceLimit(),
                options.probeEvery(),
                options.minIdleLimit());
        return new Found(session, new NamespaceRow(server.dialect(), options.namespace()), server.durable());
    }

    private Server checkServer() throws SQLException {
        try (Connection connection = open()) {
            String name = name(connection);
            Dialect dialect = Dialect.of(connection);
            if (!locks.supports(dialect)) {
                throw new LockRefusedException(locks.needs() + ", but this is " + name);
            }
            try {
                locks.inspect(connection);
                if (options.createsSchema()) {
                    createSchema(connection, dialect);
                }
                tryOut(connection, new NamespaceRow(dialect, options.namespace()));
                return new Server(name, dialect, isDurable(connection, dialect, name), locks.identity(connection));
            } catch (SQLException e) {
                if (SqlFailures.isConnectionLost(e)) {
                    throw e;
                }
                throw new LockRefusedException(
                        String.valueOf(SqlFailures.answered(name, dialect, e).getMessage()));
            }
        }
    }

    private Connection open() throws SQLException {
        return SessionConnector.open(
                connector, Math.toIntExact(options.silenceLimit().toMillis()));
    }

    /** The address without anything that may be a password. */
    private static String name(Connection connection) throws SQLException {
        String url = String.valueOf(connection.getMetaData().getURL());
        return url.replaceAll("[?;].*", "").replaceAll("//[^/@]*@", "//");
    }

    private static void createSchema(Connection connection, Dialect dialect) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            for (String sql : SessionSql.schema(dialect)) {
                create(statement, sql);
            }
        }
    }

    /** Two processes may create a table at once. PostgreSQL then fails one of them in spite of IF NOT EXISTS. */
    private static void create(Statement statement, String sql) throws SQLException {
        try {
            statement.execute(sql);
        } catch (SQLException e) {
            if (!Set.of("23505", "42P07", "42710").contains(String.valueOf(e.getSQLState()))) {
                throw e;
            }
            statement.execute(sql);
        }
    }

    /** Runs the statements of locks once and rolls them back. */
    private void tryOut(Connection connection, NamespaceRow agreement) throws SQLException {
        String id = locks.scratchId();
        connection.setAutoCommit(false);
        try {
            agreement.agree(connection, "", "");
            SessionLocks.Taken taken = locks.take(connection, id, LockMode.EXCLUSIVE, 0);
            if (taken.isGranted()) {
                locks.unlock(connection, LockMode.EXCLUSIVE, List.of(id));
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        locks.createRows(connection);
    }

    /** Whether committed data survives a crash of the database. */
    private boolean isDurable(Connection connection, Dialect dialect, String name) throws SQLException {
        String weakness = Durability.weakness(connection, dialect);
        if (weakness.isEmpty()) {
            return true;
        }
        if (options.requiresStrict()) {
            throw new LockRefusedException(
                    name + " may lose committed data in a crash, so tokens are not strict: " + weakness);
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} may lose committed data in a crash: {1}. Tokens still grow, unless it crashes while its clock"
                        + " steps back",
                name,
                weakness);
        return false;
    }

    /**
     * Refuses pooled connections. A pool keeps sessions when connections are closed, and a pooler may swap them after
     * each transaction; in both cases other clients would have our locks.
     *
     * @param closed a session whose connection has been closed
     */
    private void refusePools(long closed, String name) throws SQLException {
        try (Connection connection = open()) {
            long identity = locks.identity(connection);
            if (identity == closed || !isGone(connection, closed)) {
                throw new LockRefusedException("The connections to " + name
                        + " are pooled: a session outlives its connection, and its locks would too."
                        + " Pass a JDBC URL, or a data source that opens a new session each time");
            }
            if (!keepsItsSession(connection, identity)) {
                throw new LockRefusedException("Something between here and " + name
                        + " swaps sessions behind a connection, as PgBouncer does with pool_mode = transaction:"
                        + " session locks need a connection of their own, or use the lease table, JdbcBackend");
            }
        }
    }

    private boolean isGone(Connection connection, long identity) throws SQLException {
        long end = System.nanoTime() + MAX_END_TIME.toNanos();
        while (locks.hasSession(connection, identity)) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(CHECK_NANOS);
        }
        return true;
    }

    /**
     * Whether a lock that was taken in one transaction is still there in the next, and not available to another
     * connection.
     */
    private boolean keepsItsSession(Connection connection, long identity) throws SQLException {
        String id = locks.scratchId();
        if (!locks.tryLock(connection, id)) {
            return false;
        }
        try (Connection other = open()) {
            other.setAutoCommit(false);
            boolean apart = locks.identity(other) != identity && !locks.tryLock(other, id);
            boolean same = locks.identity(connection) == identity
                    && locks.unlock(connection, LockMode.EXCLUSIVE, List.of(id)).isEmpty()
                    && locks.identity(connection) == identity;
            other.rollback();
            return apart && same;
        }
    }
}
