package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.transactions.internal.AdvisoryHash;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.HashSet;
import java.util.Set;
import java.util.concurrent.ThreadLocalRandom;
import java.util.function.ToLongFunction;

/** PostgreSQL's session-level advisory locks. The name of a lock is a 64-bit number, see {@link AdvisoryHash}. */
final class AdvisoryLock implements SessionLocks {
    private static final String UNKNOWN_PARAMETER = "42704";

    private static final String TAKE = SessionSql.read(Dialect.POSTGRESQL, "take");
    private static final String TAKE_EXCLUSIVE = TAKE.replace("${lock}", "pg_try_advisory_lock");
    private static final String TAKE_SHARED = TAKE.replace("${lock}", "pg_try_advisory_lock_shared");
    private static final String NEXT_NUMBER = SessionSql.read(Dialect.POSTGRESQL, "next-number");

    private final ToLongFunction<LockKey> hash;

    AdvisoryLock(ToLongFunction<LockKey> hash) {
        this.hash = hash;
    }

    @Override
    public Set<LockMode> modes() {
        return Set.of(LockMode.EXCLUSIVE, LockMode.SHARED);
    }

    @Override
    public boolean supports(Dialect dialect) {
        return dialect == Dialect.POSTGRESQL;
    }

    @Override
    public String needs() {
        return "Advisory locks need PostgreSQL";
    }

    /** Nothing to check: a standby fails at the first write. */
    @Override
    public void inspect(Connection connection) {}

    @Override
    public String id(LockKey key) {
        return Long.toString(hash.applyAsLong(key));
    }

    @Override
    public String scratchId() {
        return Long.toString(ThreadLocalRandom.current().nextLong());
    }

    @Override
    public long identity(Connection connection) throws SQLException {
        return Long.parseLong(SessionSql.ask(connection, "SELECT pg_backend_pid()"));
    }

    @Override
    public boolean hasSession(Connection connection, long identity) throws SQLException {
        return SessionSql.finds(connection, "SELECT 1 FROM pg_stat_activity WHERE pid = ?", identity);
    }

    /** Limits the wait for a locked row, so that a stopped process does not stop this one. */
    @Override
    public void begin(Connection connection) throws SQLException {
        SessionSql.run(connection, "SET lock_timeout = '1s'");
    }

    /**
     * Versions before 14 do not have the setting: there the server ends a session when the connection is reported
     * closed.
     */
    @Override
    public void endWhenIdleFor(Connection connection, Duration limit) throws SQLException {
        try {
            SessionSql.run(connection, "SET idle_session_timeout = " + limit.toMillis());
        } catch (SQLException e) {
            if (!UNKNOWN_PARAMETER.equals(e.getSQLState())) {
                throw e;
            }
        }
    }

    @Override
    public Taken take(Connection connection, String id, LockMode mode, long floor) throws SQLException {
        String sql = mode == LockMode.SHARED ? TAKE_SHARED : TAKE_EXCLUSIVE;
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setLong(1, Long.parseLong(id));
            statement.setInt(2, SessionSql.bucket(id));
            statement.setLong(3, floor);
            try (ResultSet drawn = statement.executeQuery()) {
                return drawn.next() ? new Taken(drawn.getLong(1), drawn.getLong(2)) : Taken.BUSY;
            }
        }
    }

    @Override
    public long nextNumber(Connection connection, String id, long floor) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(NEXT_NUMBER)) {
            statement.setInt(1, SessionSql.bucket(id));
            statement.setLong(2, floor);
            try (ResultSet drawn = statement.executeQuery()) {
                drawn.next();
                return drawn.getLong(1);
            }
        }
    }

    @Override
    public boolean tryLock(Connection connection, String id) throws SQLException {
        return SessionSql.ask(connection, "SELECT pg_try_advisory_lock(" + Long.parseLong(id) + ")")
                .equals("t");
    }

    @Override
    public Set<String> unlock(Connection connection, LockMode mode, Collection<String> ids) throws SQLException {
        String function = mode == LockMode.SHARED ? "pg_advisory_unlock_shared" : "pg_advisory_unlock";
        Set<String> missing = new HashSet<>();
        try (PreparedStatement statement =
                connection.prepareStatement("SELECT id, " + function + "(id) FROM unnest(?) AS id")) {
            statement.setArray(
                    1,
                    connection.createArrayOf(
                            "bigint", ids.stream().map(Long::valueOf).toArray()));
            try (ResultSet unlocked = statement.executeQuery()) {
                while (unlocked.next()) {
                    if (!unlocked.getBoolean(2)) {
                        missing.add(Long.toString(unlocked.getLong(1)));
                    }
                }
            }
        }
        return missing;
    }
}
