package dev.interlock.jdbc;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.transactions.internal.Dialect;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.SQLTransactionRollbackException;
import java.time.Duration;
import java.util.Arrays;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import javax.sql.DataSource;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.MethodSource;

/** S09, S10: the database reports a chosen number of conflicts. Callers never see them, and retries are bounded. */
@Tag("server")
class ConflictTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    private static final List<LockKey> KEYS = List.of(LockKey.of("a"), LockKey.of("b"), LockKey.of("c"));

    /** How many of the next statements fail. */
    private final AtomicInteger toFail = new AtomicInteger();

    private final AtomicInteger failed = new AtomicInteger();

    static Stream<Arguments> conflicts() {
        return Stream.of(
                Arguments.of(Dialect.POSTGRESQL, "40001", 0),
                Arguments.of(Dialect.POSTGRESQL, "40P01", 0),
                Arguments.of(Dialect.MARIADB, "40001", 1213),
                Arguments.of(Dialect.MARIADB, "HY000", 1205),
                Arguments.of(Dialect.MYSQL, "40001", 1213),
                Arguments.of(Dialect.H2, "40001", 40001));
    }

    private Interlock open(Dialect dialect, SQLException conflict) {
        DataSource pool = databases.pool(dialect);
        return Interlock.over(JdbcBackend.builder(conflicting(DataSource.class, pool, conflict))
                .namespace(UUID.randomUUID().toString())
                .keepConnections(1)
                .build());
    }

    private <T> T conflicting(Class<T> type, T inner, SQLException conflict) {
        return type.cast(Proxy.newProxyInstance(
                type.getClassLoader(), new Class<?>[] {type}, (self, method, values) -> {
                    boolean executes =
                            type == PreparedStatement.class && method.getName().startsWith("execute");
                    if (executes && toFail.getAndUpdate(left -> Math.max(0, left - 1)) > 0) {
                        failed.incrementAndGet();
                        throw conflict;
                    }
                    try {
                        Object answer = method.invoke(inner, values);
                        return answer instanceof Connection connection && type == DataSource.class
                                ? conflicting(Connection.class, connection, conflict)
                                : answer instanceof PreparedStatement statement
                                        ? conflicting(PreparedStatement.class, statement, conflict)
                                        : answer;
                    } catch (InvocationTargetException e) {
                        throw e.getCause();
                    }
                }));
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void conflictsAreRetriedAndNeverReachCallers(Dialect dialect, String state, int code) {
        SQLException conflict = new SQLTransactionRollbackException("because of others", state, code);
        try (Interlock interlock = open(dialect, conflict)) {
            for (int failures = 1; failures <= 5; failures++) {
                int all = failures;
                failed.set(0);
                toFail.set(all);
                Lease lease = interlock.locks().acquire(KEYS.get(0));
                assertThat(failed).as("failures of the acquire").hasValue(all);
                toFail.set(all);
                assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
                assertThat(failed).as("failures of the release").hasValue(2 * all);

                toFail.set(all);
                LeaseSet set = interlock.locks().with(KEYS).acquire();
                toFail.set(all);
                assertThat(set.release()).isEqualTo(ReleaseResult.RELEASED);
                assertThat(failed).hasValue(4 * all);
            }
            Arrays.asList(KEYS.get(0), KEYS.get(1))
                    .forEach(
                            key -> assertThat(interlock.locks().tryAcquire(key)).isPresent());
        }
    }

    @ParameterizedTest
    @MethodSource("conflicts")
    void databaseThatReportsOnlyConflictsIsUnavailableAfterBoundedRetries(Dialect dialect, String state, int code) {
        SQLException conflict = new SQLTransactionRollbackException("because of others", state, code);
        try (Interlock interlock = open(dialect, conflict)) {
            interlock.locks().acquire(KEYS.get(0)).close();
            failed.set(0);
            toFail.set(Integer.MAX_VALUE);
            assertThatThrownBy(() -> interlock
                            .locks()
                            .with(KEYS.get(0))
                            .waitAtMost(Duration.ofMillis(500))
                            .acquire())
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("because of others");
            toFail.set(0);
            assertThat(failed).hasValueBetween(8, 200);
            interlock.locks().acquire(KEYS.get(0)).close();
        }
    }
}
