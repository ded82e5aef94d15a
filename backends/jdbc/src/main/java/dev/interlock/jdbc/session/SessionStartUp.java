package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.jdbc.internal.Durability;
import dev.interlock.jdbc.internal.Failures;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Looks at a database, and at what is between here and there, before it is trusted with session locks: what breaks them is told at the
 * start and by name.
 */
final class SessionStartUp {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** So long a server may take to end a session whose connection was closed. */
    private static final Duration GONE_WITHIN = Duration.ofSeconds(10);

    private static final long LOOK_EVERY_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    private final Connector connector;
    private final SessionLocks locks;
    private final SessionOptions options;

    SessionStartUp(Connector connector, SessionLocks locks, SessionOptions options) {
        this.connector = connector;
        this.locks = locks;
        this.options = options;
    }

    /** What was found. */
    record Found(SessionLane lane, NamespaceRow terms, boolean strict) {}

    /** The server behind a connection that has been closed since. */
    private record Server(String name, Dialect dialect, boolean durable, long closedSession) {}

    Found look() {
        Server server;
        try {
            server = lookAtServer();
            refusePools(server.closedSession(), server.name());
        } catch (SQLException e) {
            throw new StoreUnavailableException("No connection to the database of the locks: " + e.getMessage(), e);
        }
        SessionLane lane = new SessionLane(
                connector,
                locks,
                server.name(),
                server.dialect(),
                options.silence(),
                options.probeEvery(),
                options.leastSilence());
        return new Found(lane, new NamespaceRow(server.dialect(), options.namespace()), server.durable());
    }

    private Server lookAtServer() throws SQLException {
        try (Connection connection = open()) {
            String name = name(connection);
            Dialect dialect = Dialect.of(connection);
            if (!locks.speaks(dialect)) {
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
                if (Failures.isConnectionLost(e)) {
                    throw e;
                }
                throw new LockRefusedException(
                        String.valueOf(Failures.answered(name, dialect, e).getMessage()));
            }
        }
    }

    private Connection open() throws SQLException {
        return Connector.open(connector, Math.toIntExact(options.silence().toMillis()));
    }

    /** Where it is, without what may be a password. */
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

    /** Two processes may create a table at once, and PostgreSQL tells one of them that it exists in spite of IF NOT EXISTS. */
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

    /** Does once what locks will need, and takes it back. */
    private void tryOut(Connection connection, NamespaceRow terms) throws SQLException {
        String id = locks.scratchId();
        connection.setAutoCommit(false);
        try {
            terms.agree(connection, "", "");
            SessionLocks.Drawn drawn = locks.take(connection, id, LockMode.EXCLUSIVE, 0);
            if (drawn.isHad()) {
                locks.unlock(connection, LockMode.EXCLUSIVE, List.of(id));
            }
        } finally {
            connection.rollback();
            connection.setAutoCommit(true);
        }
        locks.foundRows(connection);
    }

    /** Whether what the database has committed survives its crash. */
    private boolean isDurable(Connection connection, Dialect dialect, String name) throws SQLException {
        String weakness = Durability.weakness(connection, dialect);
        if (weakness.isEmpty()) {
            return true;
        }
        if (options.requiresStrict()) {
            throw new LockRefusedException(
                    name + " may forget what it has committed, so tokens are not strict: " + weakness);
        }
        LOG.log(
                System.Logger.Level.WARNING,
                "{0} may forget what it has committed: {1}. Tokens still grow, unless it crashes while its clock steps back",
                name,
                weakness);
        return false;
    }

    /**
     * A pool keeps sessions when connections are closed, and a pooler may swap them at the end of each transaction; in both cases others
     * would have our locks.
     *
     * @param closed a session whose connection has been closed
     */
    private void refusePools(long closed, String name) throws SQLException {
        try (Connection connection = open()) {
            long identity = locks.identity(connection);
            if (identity == closed || !isGone(connection, closed)) {
                throw new LockRefusedException("The connections to " + name
                        + " are pooled: a session outlives its connection, and its locks would too."
                        + " Give a JDBC URL, or a data source that opens a new session each time");
            }
            if (!keepsItsSession(connection, identity)) {
                throw new LockRefusedException("Something between here and " + name
                        + " swaps sessions behind a connection, as PgBouncer does with pool_mode = transaction:"
                        + " session locks need a connection of their own, or use the lease table, JdbcBackend");
            }
        }
    }

    private boolean isGone(Connection connection, long identity) throws SQLException {
        long end = System.nanoTime() + GONE_WITHIN.toNanos();
        while (locks.hasSession(connection, identity)) {
            if (System.nanoTime() - end > 0) {
                return false;
            }
            LockSupport.parkNanos(LOOK_EVERY_NANOS);
        }
        return true;
    }

    /** A lock that was taken by one transaction is there for the next, and not for another connection in between. */
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
