package dev.interlock.testkit.servers;

import static dev.interlock.testkit.faults.Matching.anyRequest;
import static dev.interlock.testkit.faults.Matching.requestContaining;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.testkit.faults.Fault;
import dev.interlock.testkit.faults.FaultProxy;
import dev.interlock.testkit.faults.Framing;
import java.io.IOException;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** The proxy in front of real servers: it recognises the same requests and replies as the servers. */
@Tag("server")
class ProxiedServersTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.shared();

    @RegisterExtension
    static final MySqlServer mySql = MySqlServer.shared();

    @RegisterExtension
    static final ZooKeeperServers zooKeeper = ZooKeeperServers.shared();

    @Test
    void redisProcessesARequestWhoseReplyIsLost() throws Exception {
        String key = redis.namespace();
        try (FaultProxy proxy = before(redis.node(), Framing.resp());
                Fault lost = proxy.cutBeforeReply(requestContaining("INCR").nth(1))) {
            assertThatThrownBy(() -> incr(proxy, key)).isInstanceOf(IOException.class);
            lost.awaitActed(ofSeconds(5));
            assertThat(redis.command("GET", key)).isEqualTo("1");
            assertThat(incr(proxy, key)).isEqualTo("2");
        }
    }

    @Test
    void redisGetsARequestTwice() throws Exception {
        String key = redis.namespace();
        try (FaultProxy proxy = before(redis.node(), Framing.resp());
                Fault twice = proxy.replay(requestContaining("INCR"))) {
            incr(proxy, key);
            twice.awaitActed(ofSeconds(5));
            await().until(() -> redis.command("GET", key).equals("2"));
        }
    }

    @Test
    void redisGetsARequestLate() throws Exception {
        String key = redis.namespace();
        try (FaultProxy proxy = before(redis.node(), Framing.resp())) {
            Fault late = proxy.holdAndCut(requestContaining("INCR"));
            assertThatThrownBy(() -> incr(proxy, key)).isInstanceOf(IOException.class);
            late.awaitActed(ofSeconds(5));
            assertThat(redis.command("EXISTS", key)).isEqualTo("0");
            late.heal();
            await().until(() -> redis.command("GET", key).equals("1"));
        }
    }

    static Stream<Arguments> databases() {
        return Stream.of(
                Arguments.of(postgres, Framing.postgres()),
                Arguments.of(mariaDb, Framing.mysql()),
                Arguments.of(mySql, Framing.mysql()));
    }

    @ParameterizedTest
    @MethodSource("databases")
    void databaseCommitsAlthoughTheReplyIsLost(SqlServer server, Framing framing) throws Exception {
        String url = server.freshDatabase();
        try (Connection direct = DriverManager.getConnection(url);
                Statement statement = direct.createStatement();
                FaultProxy proxy = before(server.node(), framing)) {
            statement.execute("CREATE TABLE kept (a INT PRIMARY KEY)");
            try (Connection proxied = DriverManager.getConnection(through(proxy, server, url))) {
                insert(proxied, 1);
                Fault lost = proxy.cutBeforeReply(requestContaining("VALUES (2)"));
                assertThatThrownBy(() -> insert(proxied, 2)).isInstanceOf(SQLException.class);
                lost.awaitActed(ofSeconds(5));
            }
            try (ResultSet rows = statement.executeQuery("SELECT SUM(a) FROM kept")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(3);
            }
        }
    }

    @Test
    void zooKeeperClosesASessionWhoseReplyIsLost() throws Exception {
        ServerNode node = zooKeeper.servers().get(0);
        ZooKeeperSession session = ZooKeeperSession.open(node.port());
        try (session;
                FaultProxy proxy = before(node, Framing.zookeeper());
                Fault lost = proxy.cutBeforeReply(anyRequest().nth(2))) {
            assertThatThrownBy(() ->
                            ZooKeeperProtocol.closeSession("127.0.0.1", proxy.port(), session.id(), session.password()))
                    .isInstanceOf(IOException.class);
            lost.awaitActed(ofSeconds(5));
            assertThat(session.endsWithin(ofSeconds(10))).isTrue();
        }
    }

    private static FaultProxy before(ServerNode node, Framing framing) {
        return FaultProxy.to(node.host(), node.port(), framing);
    }

    private static String through(FaultProxy proxy, SqlServer server, String url) {
        return url.replace(server.node().address(), "127.0.0.1:" + proxy.port());
    }

    private static String incr(FaultProxy proxy, String key) throws IOException {
        return Resp.send("127.0.0.1", proxy.port(), "INCR", key);
    }

    private static void insert(Connection connection, int value) throws SQLException {
        try (Statement statement = connection.createStatement()) {
            statement.execute("INSERT INTO kept VALUES (" + value + ")");
        }
    }
}
