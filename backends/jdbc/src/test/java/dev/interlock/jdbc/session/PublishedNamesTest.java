package dev.interlock.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.servers.PostgresServer;
import dev.interlock.transactions.internal.AdvisoryHash;
import java.sql.Connection;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The published names, for clients that compute them in another language. By the shell:
 * {@code printf 'orders\0order:4711' | sha256sum}.
 */
@Tag("server")
class PublishedNamesTest {
    @Test
    void advisoryLockIsNamedByTheFirstEightBytesOfTheHash() {
        assertThat(AdvisoryHash.of("orders", LockKey.of("order:4711"))).isEqualTo(0xa6eeffa874449d32L);
        assertThat(AdvisoryHash.of("", LockKey.of("order:4711"))).isEqualTo(0xbbdc40e987ab5697L);
        assertThat(AdvisoryHash.of("", LockKey.of("价格"))).isEqualTo(0xf8ec85fc99b1a8c6L);
    }

    @Test
    void namedLockIsNamedByAPrefixAndSixteenBytesOfTheHash() {
        assertThat(NamedLock.id("shop", "orders", "order:4711")).isEqualTo("il:cf1662708e80f662a9e0444d488c1a61");
        assertThat(NamedLock.id("shop", "", "order:4711"))
                .hasSize(35)
                .isNotEqualTo(NamedLock.id("", "shop", "order:4711"));
    }

    /** The SQL of the documentation computes the same name. */
    @Test
    void postgresComputesTheSame() throws Exception {
        PostgresServer server = PostgresServer.shared();
        server.start();
        try (Connection connection = server.connect()) {
            assertThat(SessionSql.ask(
                            connection,
                            "SELECT ('x' || left(encode(sha256('orders'::bytea || '\\x00'::bytea ||"
                                    + " 'order:4711'::bytea), 'hex'), 16))"
                                    + "::bit(64)::bigint"))
                    .isEqualTo(Long.toString(0xa6eeffa874449d32L));
        }
    }
}
