package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.transactions.internal.AdvisoryHash;
import dev.interlock.transactions.internal.Dialect;
import dev.interlock.transactions.internal.SqlFailures;
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
 * The named locks of MySQL and MariaDB. Their names are server-wide and have at most 64 characters. Ours are
 * {@code il:} followed by the first 128 bits, as 32 lower-case hexadecimal digits, of the SHA-256 of schema, namespace
 * and name, joined by zero bytes.
 */
final class NamedLock implements SessionLocks {
    /** GET_LOCK would close a cycle of waiting sessions. We never wait, so the lock counts as busy. */
    private static final int DEADLOCK = 3058;

    /** Two sessions that create a row at once may deadlock; one of them must retry. */
    private static final int ROWS_DEADLOCK = 1213;

    /**
     * 0 for a session that we did not begin: some drivers reconnect on their own, perhaps to another server, whose
     * sessions have the same ids.
     */
    private static final String BEGUN_IDENTITY = "IF(@interlock_session IS NULL, 0, CONNECTION_ID())";

    private static final int MAX_DRAWS = 3;
    private static final int NAME_BYTES = 16;
    private static final String PREFIX = "il:";
    private static final String NEXT_NUMBER = SessionSql.read(Dialect.MYSQL, "next-number");
    private static final String CREATE_BUCKET = SessionSql.read(Dialect.MYSQL, "create-bucket");

    /** Whether a server belongs to a Galera cluster. Tests replace it. */
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
    public boolean supports(Dialect dialect) {
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
                    "The connection has no schema, so its locks would be shared by all schemas: name one in the URL");
        }
        if (galera.isOn(connection)) {
            throw new LockRefusedException(
                    "The server belongs to a Galera cluster (wsrep_on), where GET_LOCK locks only on one node:"
                            + " use the lease table, JdbcBackend");
        }
        String one = scratchId();
        String other = scratchId();
        boolean both = tryLock(connection, one)
                && tryLock(connection, other)
                && unlock(connection, LockMode.EXCLUSIVE, List.of(one, other)).isEmpty();
        if (!both) {
            throw new LockRefusedException(
                    "The server allows a session only one named lock: GET_LOCK needs MySQL 5.7 or MariaDB 10.0.2");
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

    /** Limits the wait for a locked row, so that a stopped process does not stop this one. */
    @Override
    public void begin(Connection connection) throws SQLException {
        SessionSql.run(connection, "SET @interlock_session = 1, SESSION innodb_lock_wait_timeout = 1");
    }

    @Override
    public void endWhenIdleFor(Connection connection, Duration limit) throws SQLException {
        SessionSql.run(connection, "SET SESSION wait_timeout = " + limit.toSeconds());
    }

    @Override
    public Taken take(Connection connection, String id, LockMode mode, long floor) throws SQLException {
        long identity;
        try (PreparedStatement statement = connection.prepareStatement("SELECT GET_LOCK(?, 0), " + BEGUN_IDENTITY)) {
            statement.setString(1, id);
            try (ResultSet taken = statement.executeQuery()) {
                if (!taken.next() || taken.getInt(1) != 1) {
                    return Taken.BUSY;
                }
                identity = taken.getLong(2);
            }
        } catch (SQLException e) {
            if (e.getErrorCode() == DEADLOCK) {
                return Taken.BUSY;
            }
            throw e;
        }
        return new Taken(nextNumber(connection, id, floor), identity);
    }

    @Override
    public long nextNumber(Connection connection, String id, long floor) throws SQLException {
        for (int tries = 1; ; tries++) {
            try {
                long number = drawFromRow(connection, id, floor);
                if (number != 0) {
                    return number;
                }
                createRow(connection, id);
                return drawFromRow(connection, id, floor);
            } catch (SQLException e) {
                // A deadlock rolled the transaction back with its earlier numbers: only the whole can be retried.
                if (tries == MAX_DRAWS || e.getErrorCode() != ROWS_DEADLOCK || !connection.getAutoCommit()) {
                    throw e;
                }
            }
        }
    }

    /** Returns 0 if the row does not exist. */
    private static long drawFromRow(Connection connection, String id, long floor) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NEXT_NUMBER, Statement.RETURN_GENERATED_KEYS)) {
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

    /**
     * Creates all rows at once: a missing row costs two more statements later. Another process may be creating them
     * too.
     */
    @Override
    public void createRows(Connection connection) throws SQLException {
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
            if (!SqlFailures.isWorthRetrying(Dialect.MYSQL, e)) {
                throw e;
            }
        }
    }

    private static void createRow(Connection connection, String id) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(CREATE_BUCKET)) {
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

    /** RELEASE_LOCK returns 1, or 0 if another session has the lock, or null if no session has it. */
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
