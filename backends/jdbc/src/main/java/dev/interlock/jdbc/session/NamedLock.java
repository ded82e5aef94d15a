package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.AdvisoryHash;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.jdbc.internal.Failures;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.Collections;
import java.util.HashSet;
import java.util.HexFormat;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.UUID;
import java.util.stream.Collectors;
import java.util.stream.IntStream;

/**
 * The named locks of MySQL and MariaDB. Their names are server-wide and have at most 64 characters, so ours are {@code il:} and the first
 * 128 bits, as 32 lower-case hexadecimal digits, of the SHA-256 of schema, namespace and name with a zero byte between each two.
 */
final class NamedLock implements SessionLocks {
    /** GET_LOCK would close a circle of sessions that wait for each other; we do not wait, so for us it is taken. */
    private static final int DEADLOCK = 3058;

    /** Two sessions that make a row at once may get into each other's way; one of them is sent back to try again. */
    private static final int ROWS_DEADLOCK = 1213;

    /**
     * 0 for a session that was not begun by us: some drivers connect again behind our back, maybe to another server, whose sessions have
     * the same numbers.
     */
    private static final String BEGUN_IDENTITY = "IF(@interlock_session IS NULL, 0, CONNECTION_ID())";

    private static final int MOST_DRAWS = 3;
    private static final int NAME_BYTES = 16;
    private static final String PREFIX = "il:";
    private static final String DRAW = SessionSql.read(Dialect.MYSQL, "draw");
    private static final String FOUND_BUCKET = SessionSql.read(Dialect.MYSQL, "found-bucket");

    /** How a server is asked whether it is one of a Galera cluster; replaced by a test, which has none. */
    interface Galera {
        boolean isOn(Connection connection) throws SQLException;
    }

    private final String namespace;
    private final Galera galera;
    private volatile String schema = "";

    NamedLock(String namespace, Galera galera) {
        this.namespace = namespace;
        this.galera = galera;
    }

    static boolean isGalera(Connection connection) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery("SHOW GLOBAL VARIABLES LIKE 'wsrep_on'")) {
            return found.next() && found.getString(2).toUpperCase(Locale.ROOT).equals("ON");
        }
    }

    @Override
    public Set<LockMode> modes() {
        return Set.of(LockMode.EXCLUSIVE);
    }

    @Override
    public boolean speaks(Dialect dialect) {
        return dialect.isMySql();
    }

    @Override
    public String needs() {
        return "GET_LOCK needs MySQL or MariaDB";
    }

    @Override
    public void inspect(Connection connection) throws SQLException {
        schema = SessionSql.ask(connection, "SELECT IF(@@lower_case_table_names = 0, DATABASE(), LOWER(DATABASE()))");
        if (schema.isEmpty() || schema.equals("null")) {
            throw new LockRefusedException(
                    "The connection has no schema, so its locks would be everybody's: name one in the URL");
        }
        if (galera.isOn(connection)) {
            throw new LockRefusedException(
                    "The server belongs to a Galera cluster (wsrep_on), where GET_LOCK locks on one node only: use the lease table, JdbcBackend");
        }
        String one = scratchId();
        String other = scratchId();
        boolean both = tryLock(connection, one)
                && tryLock(connection, other)
                && unlock(connection, LockMode.EXCLUSIVE, List.of(one, other)).isEmpty();
        if (!both) {
            throw new LockRefusedException(
                    "The server does not let a session have several named locks: GET_LOCK needs MySQL 5.7 or MariaDB 10.0.2");
        }
    }

    @Override
    public String id(LockKey key) {
        return id(schema, namespace, key.name());
    }

    static String id(String schema, String namespace, String name) {
        return PREFIX + HexFormat.of().formatHex(AdvisoryHash.sha256(schema, namespace, name), 0, NAME_BYTES);
    }

    @Override
    public String scratchId() {
        return PREFIX + UUID.randomUUID();
    }

    @Override
    public long identity(Connection connection) throws SQLException {
        return Long.parseLong(SessionSql.ask(connection, "SELECT CONNECTION_ID()"));
    }

    @Override
    public long begunIdentity(Connection connection) throws SQLException {
        return Long.parseLong(SessionSql.ask(connection, "SELECT " + BEGUN_IDENTITY));
    }

    @Override
    public boolean hasSession(Connection connection, long identity) throws SQLException {
        return SessionSql.finds(connection, "SELECT 1 FROM information_schema.processlist WHERE id = ?", identity);
    }

    /** A row that somebody else keeps locked for longer is given up: somebody hangs, and must not take us along. */
    @Override
    public void begin(Connection connection) throws SQLException {
        SessionSql.run(connection, "SET @interlock_session = 1, SESSION innodb_lock_wait_timeout = 1");
    }

    @Override
    public void endWhenSilentFor(Connection connection, Duration limit) throws SQLException {
        SessionSql.run(connection, "SET SESSION wait_timeout = " + limit.toSeconds());
    }

    @Override
    public Drawn take(Connection connection, String id, LockMode mode, long floor) throws SQLException {
        long identity;
        try (PreparedStatement statement = connection.prepareStatement("SELECT GET_LOCK(?, 0), " + BEGUN_IDENTITY)) {
            statement.setString(1, id);
            try (ResultSet taken = statement.executeQuery()) {
                if (!taken.next() || taken.getInt(1) != 1) {
                    return Drawn.BUSY;
                }
                identity = taken.getLong(2);
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == DEADLOCK) {
                return Drawn.BUSY;
            }
            throw e;
        }
        return new Drawn(draw(connection, id, floor), identity);
    }

    @Override
    public long draw(Connection connection, String id, long floor) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                long number = drawFromRow(connection, id, floor);
                if (number != 0) {
                    return number;
                }
                foundRow(connection, id);
                return drawFromRow(connection, id, floor);
            } catch (SQLException e) {
                // A deadlock has rolled back what the same transaction drew before: only the whole can be tried again.
                if (tries == MOST_DRAWS || e.getErrorCode() != ROWS_DEADLOCK || !connection.getAutoCommit()) {
                    throw e;
                }
            }
        }
    }

    /** 0 if there is no row to draw from. */
    private static long drawFromRow(Connection connection, String id, long floor) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(DRAW, Statement.RETURN_GENERATED_KEYS)) {
            statement.setLong(1, floor);
            statement.setInt(2, SessionSql.bucket(id));
            if (statement.executeUpdate() == 0) {
                return 0;
            }
            try (ResultSet drawn = statement.getGeneratedKeys()) {
                return drawn.next() ? drawn.getLong(1) : 0;
            }
        }
    }

    /** All at once: a row that is missing later costs two more statements. Somebody else may be at it, and then nothing is missing. */
    @Override
    public void foundRows(Connection connection) throws SQLException {
        String count = SessionSql.ask(connection, "SELECT COUNT(*) FROM interlock_session_token");
        if (Integer.parseInt(count) >= SessionSql.BUCKETS) {
            return;
        }
        String rows = IntStream.range(0, SessionSql.BUCKETS)
                .mapToObj(bucket -> "(" + bucket + ", 0)")
                .collect(Collectors.joining(", "));
        try {
            SessionSql.run(connection, "INSERT IGNORE INTO interlock_session_token (bucket, number) VALUES " + rows);
        } catch (SQLException e) {
            if (!Failures.isWorthRetrying(Dialect.MYSQL, e)) {
                throw e;
            }
        }
    }

    private static void foundRow(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(FOUND_BUCKET)) {
            statement.setInt(1, SessionSql.bucket(id));
            statement.executeUpdate();
        }
    }

    @Override
    public boolean tryLock(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement("SELECT GET_LOCK(?, 0)")) {
            statement.setString(1, id);
            try (ResultSet taken = statement.executeQuery()) {
                return taken.next() && taken.getInt(1) == 1;
            }
        }
    }

    /** The answer is 1, or 0 if somebody else has the lock, or null if nobody has. */
    @Override
    public Set<String> unlock(Connection connection, LockMode mode, Collection<String> ids) throws SQLException {
        Set<String> missing = new HashSet<>();
        String each = String.join(", ", Collections.nCopies(ids.size(), "RELEASE_LOCK(?)"));
        try (PreparedStatement statement = connection.prepareStatement("SELECT " + each)) {
            int index = 1;
            for (String id : ids) {
                statement.setString(index++, id);
            }
            try (ResultSet unlocked = statement.executeQuery()) {
                boolean answered = unlocked.next();
                index = 1;
                for (String id : ids) {
                    if (!answered || unlocked.getInt(index++) != 1) {
                        missing.add(id);
                    }
                }
            }
        }
        return missing;
    }
}
