package dev.interlock.jdbc.session;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.jdbc.internal.AdvisoryHash;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.servers.PostgresServer;
import java.sql.Connection;
import org.junit.jupiter.api.Test;

/**
 * The names that are published: whoever computes them in another language gets these. By the shell:
 * {@code printf 'orders\0order:4711' | sha256sum}.
 */
class PublishedNamesTest {
    @Test
    void advisoryLocksAreKnownByTheFirstEightBytesOfTheHash() {
        assertThat(AdvisoryHash.of("orders", LockKey.of("order:4711"))).isEqualTo(0xa6eeffa874449d32L);
        assertThat(AdvisoryHash.of("", LockKey.of("order:4711"))).isEqualTo(0xbbdc40e987ab5697L);
        assertThat(AdvisoryHash.of("", LockKey.of("价格"))).isEqualTo(0xf8ec85fc99b1a8c6L);
    }

    @Test
    void namedLocksAreKnownByAPrefixAndSixteenBytesOfTheHash() {
        assertThat(NamedLock.id("shop", "orders", "order:4711")).isEqualTo("il:cf1662708e80f662a9e0444d488c1a61");
        assertThat(NamedLock.id("shop", "", "order:4711"))
                .hasSize(35)
                .isNotEqualTo(NamedLock.id("", "shop", "order:4711"));
    }

    /** As the documentation has it for whoever is inside the database. */
    @Test
    void postgresComputesTheSame() throws Exception {
        PostgresServer server = PostgresServer.shared();
        server.start();
        try (Connection connection = server.connect()) {
            assertThat(SessionSql.ask(
                            connection,
                            "SELECT ('x' || left(encode(sha256('orders'::bytea || '\\x00'::bytea || 'order:4711'::bytea), 'hex'), 16))"
                                    + "::bit(64)::bigint"))
                    .isEqualTo(Long.toString(0xa6eeffa874449d32L));
        }
    }
}
