package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.servers.MariaDbServer;
import dev.interlock.testkit.servers.MySqlServer;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.testkit.servers.SqlServer;
import dev.interlock.transactions.internal.AdvisoryHash;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;

/** The databases with session locks, and what differs between them in tests. */
enum Kind {
    POSTGRESQL("pg_try_advisory_lock", "pg_advisory_unlock"),
    MARIADB("GET_LOCK", "RELEASE_LOCK"),
    MYSQL("GET_LOCK", "RELEASE_LOCK");

    /** Text that identifies a statement that takes a lock, and one that releases it. */
    final String taking;

    final String givingBack;

    Kind(String taking, String givingBack) {
        this.taking = taking;
        this.givingBack = givingBack;
    }

    SqlServer shared() {
        return switch (this) {
            case POSTGRESQL -> PostgresServer.shared();
            case MARIADB -> MariaDbServer.shared();
            case MYSQL -> MySqlServer.shared();
        };
    }

    SqlServer own() {
        return switch (this) {
            case POSTGRESQL -> PostgresServer.own();
            case MARIADB -> MariaDbServer.own();
            case MYSQL -> MySqlServer.own();
        };
    }

    /** A database with tables on a shared server. */
    String freshDatabase() throws SQLException {
        SqlServer server = shared();
        server.start();
        String url = server.freshDatabase();
        createTables(url);
        return url;
    }

    void createTables(String url) {
        switch (this) {
            case POSTGRESQL ->
                AdvisoryLockBackend.builder(url).createSchemaIfMissing().build().close();
            case MARIADB, MYSQL ->
                NamedLockBackend.builder(url).createSchemaIfMissing().build().close();
        }
    }

    FaultProxy proxy() {
        return FaultProxy.to(
                shared().node().host(),
                shared().node().port(),
                this == POSTGRESQL ? Framing.postgres() : Framing.mysql());
    }

    String through(FaultProxy proxy, String url) {
        return url.replace(shared().node().address(), "127.0.0.1:" + proxy.port());
    }

    /** A backend with short limits, so that tests need not wait. */
    Backend connect(String url, Duration silence) {
        Duration probe = Duration.ofMillis(100);
        return switch (this) {
            case POSTGRESQL ->
                AdvisoryLockBackend.builder(url)
                        .probeEvery(probe)
                        .silenceLimit(silence)
                        .build();
            case MARIADB, MYSQL ->
                NamedLockBackend.builder(url)
                        .probeEvery(probe)
                        .silenceLimit(silence)
                        .build();
        };
    }

    Backend connect(String url) {
        return connect(url, Duration.ofSeconds(5));
    }

    /** Ends the session that has the lock on a key. */
    void killHolder(String url, LockKey key) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            if (this == POSTGRESQL) {
                SessionSql.run(
                        connection,
                        "SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory' AND granted"
                                + " AND database = (SELECT oid FROM pg_database WHERE datname = current_database())"
                                + " AND ((classid::bigint << 32) | objid::bigint) = " + AdvisoryHash.of("", key));
            } else {
                SessionSql.run(connection, "KILL CONNECTION " + holder(connection, key));
            }
        }
    }

    /** Whether some session has the lock on a key. */
    boolean isLocked(String url, LockKey key) throws SQLException {
        try (Connection connection = DriverManager.getConnection(url)) {
            if (this == POSTGRESQL) {
                return !SessionSql.ask(
                                connection,
                                "SELECT pid FROM pg_locks WHERE locktype = 'advisory'"
                                        + " AND database = (SELECT oid FROM pg_database"
                                        + " WHERE datname = current_database())"
                                        + " AND ((classid::bigint << 32) | objid::bigint) = "
                                        + AdvisoryHash.of("", key))
                        .isEmpty();
            }
            return !holder(connection, key).equals("null");
        }
    }

    private static String holder(Connection connection, LockKey key) throws SQLException {
        String schema = SessionSql.ask(connection, "SELECT DATABASE()");
        return SessionSql.ask(connection, "SELECT IS_USED_LOCK('" + NamedLock.id(schema, "", key.name()) + "')");
    }

    /** The database's name for the lock on a key. */
    String id(String url, LockKey key) throws SQLException {
        if (this == POSTGRESQL) {
            return Long.toString(AdvisoryHash.of("", key));
        }
        try (Connection connection = DriverManager.getConnection(url)) {
            return NamedLock.id(SessionSql.ask(connection, "SELECT DATABASE()"), "", key.name());
        }
    }
}
