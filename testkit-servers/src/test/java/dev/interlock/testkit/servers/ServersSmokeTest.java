package dev.interlock.testkit.servers;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.Statement;
import java.util.Base64;
import java.util.List;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** Every server starts, stores a value, and reports its version. */
@Tag("full")
@Tag("server")
class ServersSmokeTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @RegisterExtension
    static final RedisServer redis62 = RedisServer.own().version(RedisVersion.V6_2);

    @RegisterExtension
    static final PostgresServer postgres = PostgresServer.shared();

    @RegisterExtension
    static final MariaDbServer mariaDb = MariaDbServer.shared();

    @RegisterExtension
    static final MySqlServer mySql = MySqlServer.shared();

    @RegisterExtension
    static final ZooKeeperServers zooKeeper = ZooKeeperServers.shared();

    @RegisterExtension
    static final EtcdServers etcd = EtcdServers.shared();

    @Test
    void redisKeepsAValue() {
        String key = redis.namespace();
        assertThat(redis.command("SET", key, "1", "NX", "PX", "60000")).isEqualTo("OK");
        assertThat(redis.command("GET", key)).isEqualTo("1");
        assertThat(redis.command("INFO", "server")).contains("redis_version:7.0.15");
    }

    @Test
    void redis62KeepsAValue() {
        assertThat(redis62.command("SET", "a", "1")).isEqualTo("OK");
        assertThat(redis62.command("INFO", "server")).contains("redis_version:6.2.");
    }

    static List<SqlServer> databases() {
        return List.of(postgres, mariaDb, mySql);
    }

    @ParameterizedTest
    @MethodSource("databases")
    void databaseKeepsARow(SqlServer server) throws Exception {
        String url = server.freshDatabase();
        try (Connection connection = DriverManager.getConnection(url);
                Statement statement = connection.createStatement()) {
            statement.execute("CREATE TABLE kept (a INT PRIMARY KEY)");
            statement.execute("INSERT INTO kept VALUES (7)");
            try (ResultSet rows = statement.executeQuery("SELECT a FROM kept")) {
                assertThat(rows.next()).isTrue();
                assertThat(rows.getInt(1)).isEqualTo(7);
            }
            assertThat(connection.getMetaData().getDatabaseProductVersion())
                    .contains(server.title().replaceFirst("\\S+ ", ""));
        }
    }

    @Test
    void zooKeeperServes() throws Exception {
        assertThat(ZooKeeperProtocol.ask(zooKeeper.servers().get(0).port(), "srvr"))
                .contains("Zookeeper version: 3.9.3", "Mode: standalone");
        assertThat(zooKeeper.leader()).contains(zooKeeper.servers().get(0));
    }

    @Test
    void etcdKeepsAValue() {
        String key = Base64.getEncoder().encodeToString(etcd.namespace().getBytes(UTF_8));
        long before = etcd.revision();
        etcd.request("/v3/kv/put", "{\"key\":\"" + key + "\",\"value\":\"Nw==\"}");
        assertThat(etcd.request("/v3/kv/range", "{\"key\":\"" + key + "\"}")).contains("\"value\":\"Nw==\"");
        assertThat(etcd.revision()).isEqualTo(before + 1);
    }
}
