package dev.interlock.testkit.servers;

import static java.time.Duration.ofHours;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.function.Supplier;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

@Tag("full")
@Tag("server")
class SqlFaultTest {
    static Stream<Arguments> servers() {
        return Stream.<Supplier<SqlServer>>of(PostgresServer::own, MariaDbServer::own, MySqlServer::own)
                .map(it -> Arguments.of(it.get()));
    }

    @ParameterizedTest
    @MethodSource("servers")
    void committedRowSurvivesKillAndIsGoneAfterAnEmptyRestart(SqlServer server) throws Exception {
        server.start();
        execute(server, "CREATE TABLE kept (a INT PRIMARY KEY)");
        execute(server, "INSERT INTO kept VALUES (7)");

        server.node().restart();
        assertThat(ask(server, "SELECT a FROM kept")).isEqualTo("7");

        server.node().restartEmpty();
        assertThatThrownBy(() -> ask(server, "SELECT a FROM kept")).isInstanceOf(SQLException.class);
    }

    @ParameterizedTest
    @MethodSource("servers")
    void pausedServerKeepsConnectionsOpenAndAnswersLater(SqlServer server) throws Exception {
        server.start();
        try (Connection connection = server.connect()) {
            server.node().pause();
            assertThat(connection.isValid(1)).isFalse();
            server.node().resume();
        }
        try (Connection connection = server.connect()) {
            assertThat(connection.isValid(10)).isTrue();
        }
    }

    @Test
    void terminatedPostgresSessionIsGone() throws Exception {
        PostgresServer server = PostgresServer.shared();
        server.start();
        try (Connection victim = server.connect();
                Connection other = server.connect()) {
            int pid = Integer.parseInt(ask(victim, "SELECT pg_backend_pid()"));
            assertThat(server.terminate(pid)).isTrue();
            assertThatThrownBy(() -> ask(victim, "SELECT 1")).isInstanceOf(SQLException.class);
            assertThat(ask(other, "SELECT 1")).isEqualTo("1");
            assertThat(server.terminate(pid)).isFalse();

            server.terminateAll();
            assertThatThrownBy(() -> ask(other, "SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void killedMariaDbSessionIsGone() throws Exception {
        MariaDbServer server = MariaDbServer.shared();
        server.start();
        try (Connection victim = server.connect()) {
            server.killConnection(Long.parseLong(ask(victim, "SELECT CONNECTION_ID()")));
            assertThatThrownBy(() -> ask(victim, "SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void killedMySqlSessionIsGone() throws Exception {
        MySqlServer server = MySqlServer.shared();
        server.start();
        try (Connection victim = server.connect()) {
            server.killConnection(Long.parseLong(ask(victim, "SELECT CONNECTION_ID()")));
            assertThatThrownBy(() -> ask(victim, "SELECT 1")).isInstanceOf(SQLException.class);
        }
    }

    @Test
    void clockOfPostgresIsSteppedWhileItRuns() throws Exception {
        try (PostgresServer server = PostgresServer.own().steppableClock()) {
            server.start();
            clockIsStepped(server, "SELECT EXTRACT(EPOCH FROM clock_timestamp())::bigint");
        }
    }

    @Test
    void clockOfMariaDbIsSteppedWhileItRuns() throws Exception {
        try (MariaDbServer server = MariaDbServer.own().steppableClock()) {
            server.start();
            clockIsStepped(server, "SELECT UNIX_TIMESTAMP()");
        }
    }

    private static void clockIsStepped(SqlServer server, String question) throws SQLException {
        try (Connection connection = server.connect()) {
            assertThat(aheadOfUs(connection, question)).isBetween(Duration.ofSeconds(-5), Duration.ofSeconds(5));
            server.node().clock().step(ofHours(1));
            assertThat(aheadOfUs(connection, question))
                    .isBetween(ofHours(1).minusSeconds(5), ofHours(1).plusSeconds(5));
            server.node().clock().step(ofHours(-2));
            assertThat(aheadOfUs(connection, question))
                    .isBetween(ofHours(-1).minusSeconds(5), ofHours(-1).plusSeconds(5));
        }
    }

    private static Duration aheadOfUs(Connection connection, String question) throws SQLException {
        return Duration.between(Instant.now(), Instant.ofEpochSecond(Long.parseLong(ask(connection, question))));
    }

    @Test
    void settingReachesTheServer() throws Exception {
        try (PostgresServer server = PostgresServer.own().with("synchronous_commit", "off")) {
            server.start();
            assertThat(ask(server, "SHOW synchronous_commit")).isEqualTo("off");
        }
        try (MariaDbServer server = MariaDbServer.own().with("innodb_flush_log_at_trx_commit", "0")) {
            server.start();
            assertThat(ask(server, "SELECT @@innodb_flush_log_at_trx_commit")).isEqualTo("0");
        }
    }

    private static void execute(SqlServer server, String sql) throws SQLException {
        try (Connection connection = server.connect();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }

    private static String ask(SqlServer server, String sql) throws SQLException {
        try (Connection connection = server.connect()) {
            return ask(connection, sql);
        }
    }

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(sql)) {
            assertThat(rows.next()).isTrue();
            return rows.getString(1);
        }
    }
}
