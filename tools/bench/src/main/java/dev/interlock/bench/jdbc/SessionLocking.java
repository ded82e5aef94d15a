package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.BenchPolling;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.SequentialGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;

/** The database's own session locks. A waiter or holder occupies a connection. */
final class SessionLocking implements Locking {
    private final HikariDataSource pool;
    private final Kind kind;

    /** The kind of session lock. */
    enum Kind {
        ADVISORY_BLOCKING(
                "SELECT 1 FROM pg_advisory_lock(hashtextextended(?, 0))",
                "SELECT CAST(pg_advisory_unlock(hashtextextended(?, 0)) AS INT)"),
        ADVISORY_TRY(
                "SELECT CAST(pg_try_advisory_lock(hashtextextended(?, 0)) AS INT)",
                "SELECT CAST(pg_advisory_unlock(hashtextextended(?, 0)) AS INT)"),
        NAMED_BLOCKING("SELECT GET_LOCK(?, 30)", "SELECT RELEASE_LOCK(?)"),
        NAMED_TRY("SELECT GET_LOCK(?, 0)", "SELECT RELEASE_LOCK(?)");

        private final String acquire;
        private final String release;

        Kind(String acquire, String release) {
            this.acquire = acquire;
            this.release = release;
        }
    }

    SessionLocking(String url, Kind kind) {
        this.pool = ConnectionPools.forEveryThread(url);
        this.kind = kind;
    }

    @Override
    public LockGuard guard(String name) {
        String lock = lock(name);
        return section -> {
            try (Connection session = pool.getConnection()) {
                BenchPolling.until(() -> isDone(session, kind.acquire, lock));
                try {
                    section.run();
                } finally {
                    release(session, lock);
                }
            } catch (SQLException e) {
                throw new IllegalStateException("The session could not lock " + lock, e);
            }
        };
    }

    /** The name contains the kind, because two kinds of one database share their locks. */
    private String lock(String name) {
        return kind + name;
    }

    /** Acquires all locks in one session. */
    @Override
    public LockGuard guardAll(List<String> names) {
        List<String> sorted = SequentialGuard.sorted(names);
        return section -> {
            try (Connection session = pool.getConnection()) {
                new SequentialGuard(sorted, name -> () -> taken(session, lock(name))).run(section);
            } catch (SQLException e) {
                throw new IllegalStateException("The session could not lock " + sorted, e);
            }
        };
    }

    private Runnable taken(Connection session, String lock) {
        BenchPolling.until(() -> isDone(session, kind.acquire, lock));
        return () -> release(session, lock);
    }

    private void release(Connection session, String lock) {
        if (!isDone(session, kind.release, lock)) {
            throw new IllegalStateException("The session lost " + lock);
        }
    }

    private static boolean isDone(Connection session, String sql, String lock) {
        try (PreparedStatement statement = session.prepareStatement(sql)) {
            statement.setString(1, lock);
            try (ResultSet answer = statement.executeQuery()) {
                return answer.next() && answer.getInt(1) == 1;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The session could not lock or unlock " + lock, e);
        }
    }

    @Override
    public Runnable hold(String name) {
        throw new UnsupportedOperationException("A session lock is not a lease");
    }

    @Override
    public void close() {
        pool.close();
    }
}
