package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.transactions.internal.Dialect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Few statements renew many leases. */
@Execution(ExecutionMode.CONCURRENT)
@Tag("server")
class JdbcRenewalsTest {
    private static final int LEASES = 100;

    @RegisterExtension
    static final Databases databases = new Databases();

    private final AtomicInteger extending = new AtomicInteger();

    @ParameterizedTest
    @EnumSource
    void manyLeasesAreRenewedByFewStatements(Dialect dialect) throws Exception {
        JdbcBackend backend = JdbcBackend.builder(watched(DataSource.class, databases.pool(dialect), false))
                .namespace(UUID.randomUUID().toString())
                .build();
        try (Interlock interlock = Interlock.over(backend)) {
            List<Lease> leases = new ArrayList<>();
            for (int i = 0; i < LEASES; i++) {
                leases.add(interlock
                        .locks()
                        .with(LockKey.of("many", Integer.toString(i)))
                        .leaseFor(Duration.ofSeconds(3))
                        .acquireAsync()
                        .toCompletableFuture()
                        .get(10, TimeUnit.SECONDS));
            }
            int before = extending.get();
            CheckedRun.pass(Duration.ofSeconds(4)); // longer than the leases, so they were renewed or lost
            assertThat(leases).allMatch(Lease::isHeld);
            assertThat(extending.get() - before).as("statements that renew").isBetween(1, LEASES);
        }
    }

    /** Wraps an object and counts executed and batched statements that extend leases. */
    private <T> T watched(Class<T> type, T inner, boolean counts) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
                    String name = method.getName();
                    if (counts
                            && (name.equals("addBatch") || (name.startsWith("execute") && !name.endsWith("Batch")))) {
                        extending.incrementAndGet();
                    }
                    try {
                        Object answer = method.invoke(inner, values);
                        if (answer instanceof Connection connection) {
                            return watched(Connection.class, connection, false);
                        }
                        if (answer instanceof PreparedStatement statement && values != null) {
                            String sql = values[0].toString().toUpperCase(Locale.ROOT);
                            return watched(PreparedStatement.class, statement, sql.contains("SET LEASE_END ="));
                        }
                        return answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }
}
