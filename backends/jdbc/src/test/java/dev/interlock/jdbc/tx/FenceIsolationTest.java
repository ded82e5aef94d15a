package dev.interlock.jdbc.tx;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.jdbc.Databases;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.stream.Stream;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.Arguments;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.MethodSource;

/**
 * Two transactions meet at a fence, in every order that matters, in every level of isolation. Whatever happens: a stale one never passes, and
 * one that passes reads what was written before it. A conflict is a fair answer, and the same transaction done again gets through.
 */
class FenceIsolationTest {
    @RegisterExtension
    static final Databases databases = new Databases();

    private static final JdbcFence FENCE = JdbcFence.inTable();
    private static final Map<String, Integer> LEVELS = Map.of(
            "READ COMMITTED", Connection.TRANSACTION_READ_COMMITTED,
            "REPEATABLE READ", Connection.TRANSACTION_REPEATABLE_READ,
            "SERIALIZABLE", Connection.TRANSACTION_SERIALIZABLE);

    @BeforeAll
    static void tables() throws SQLException {
        for (Dialect dialect : Dialect.values()) {
            FENCE.createSchemaIfMissing(databases.pool(dialect));
            FENCE.createSchemaIfMissing(databases.pool(dialect));
            Rivals.script(
                    databases.pool(dialect),
                    "CREATE TABLE counter (id VARCHAR(64) PRIMARY KEY, amount BIGINT NOT NULL)",
                    "CREATE TABLE unrelated (id INT PRIMARY KEY)",
                    "INSERT INTO unrelated (id) VALUES (1)",
                    "INSERT INTO counter (id, amount) VALUES ('another', 1)");
        }
    }

    /** Every level that the fence accepts. */
    static Stream<Arguments> everywhere() {
        return Stream.of(Dialect.values())
                .flatMap(dialect -> LEVELS.keySet().stream().sorted().map(level -> Arguments.of(dialect, level)))
                .filter(it -> it.get()[0] != Dialect.H2 || !it.get()[1].equals("REPEATABLE READ"));
    }

    /** There a table that was read before stays old without anybody being told. */
    @Test
    void repeatableReadOfH2IsRefused() throws SQLException {
        try (Rivals rivals = rivals(Dialect.H2)) {
            Connection connection = rivals.begin(Connection.TRANSACTION_REPEATABLE_READ);
            Lease lease = rivals.locks().acquire(rivals.key);
            assertThatThrownBy(() -> FENCE.raise(connection, lease))
                    .isInstanceOf(IllegalStateException.class)
                    .hasMessageContaining("REPEATABLE READ")
                    .hasMessageContaining("SERIALIZABLE");
        }
    }

    private static Rivals rivals(Dialect dialect) throws SQLException {
        Rivals rivals = new Rivals(databases.pool(dialect));
        try (Connection connection = databases.pool(dialect).getConnection()) {
            Rivals.execute(connection, "INSERT INTO counter (id, amount) VALUES (?, 0)", rivals.key.name());
        }
        return rivals;
    }

    private static void write(Connection connection, Rivals rivals, long amount) throws SQLException {
        Rivals.execute(connection, "UPDATE counter SET amount = ? WHERE id = ?", amount, rivals.key.name());
    }

    private static long read(Connection connection, Rivals rivals) throws SQLException {
        return Rivals.number(connection, "SELECT amount FROM counter WHERE id = ?", rivals.key.name());
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void newerOfTwoFirstRaisesWinsWhenItComesSecond(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease current = rivals.locks().acquire(rivals.key);
            Connection one = rivals.begin(LEVELS.get(level));
            Connection two = rivals.begin(LEVELS.get(level));
            FENCE.raise(one, old);
            write(one, rivals, 7);
            CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, current));
            assertThat(raised).as("the raise while the first is not committed").isNotDone();
            one.commit();
            Rivals.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, rivals)).as("what the second sees").isEqualTo(7);
            two.commit();
            assertThatThrownBy(() -> FENCE.check(one, old)).isInstanceOf(StaleTokenException.class);
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void olderOfTwoFirstRaisesIsRefusedWhenItComesSecond(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease current = rivals.locks().acquire(rivals.key);
            Connection one = rivals.begin(LEVELS.get(level));
            Connection two = rivals.begin(LEVELS.get(level));
            FENCE.raise(one, current);
            CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, old));
            assertThat(raised).isNotDone();
            one.commit();
            assertThatThrownBy(() -> Rivals.repeat(two, raised, () -> FENCE.raise(two, old)))
                    .isInstanceOfSatisfying(StaleTokenException.class, refused -> {
                        assertThat(refused.refused()).isEqualTo(old.token());
                        assertThat(refused.newest()).isEqualTo(current.token());
                    });
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void raiseThatWasRolledBackRefusesNobody(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease current = rivals.locks().acquire(rivals.key);
            Connection one = rivals.begin(LEVELS.get(level));
            Connection two = rivals.begin(LEVELS.get(level));
            FENCE.raise(one, current);
            CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, old));
            assertThat(raised).isNotDone();
            one.rollback();
            Rivals.repeat(two, raised, () -> FENCE.raise(two, old));
            two.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void checkKeepsNewerTokensOutUntilTheCommit(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease current = rivals.locks().acquire(rivals.key);
            Connection one = rivals.begin(LEVELS.get(level));
            FENCE.raise(one, old);
            one.commit();
            Connection two = rivals.begin(LEVELS.get(level));
            FENCE.check(one, old);
            CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, current));
            assertThat(raised).isNotDone();
            write(one, rivals, 7);
            one.commit();
            Rivals.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, rivals)).as("what the new holder sees").isEqualTo(7);
            two.commit();
        }
    }

    /** The snapshot is older than the write, and the fence's token is the same as in it: only the count of changes tells. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void raiseNeverPassesInASnapshotFromBeforeTheLatestWrite(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease current = rivals.locks().acquire(rivals.key);
            Connection one = rivals.begin(LEVELS.get(level));
            FENCE.raise(one, old);
            one.commit();
            Connection two = rivals.begin(LEVELS.get(level));
            Rivals.number(two, "SELECT amount FROM counter WHERE id = 'another'");
            FENCE.check(one, old);
            write(one, rivals, 7);
            one.commit();
            CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, current));
            int conflicts = Rivals.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, rivals)).isEqualTo(7);
            // Serializable on MySQL and MariaDB reads nothing from snapshots.
            boolean fromSnapshot =
                    !level.equals("READ COMMITTED") && !(level.equals("SERIALIZABLE") && dialect.isMySql());
            assertThat(conflicts).isEqualTo(fromSnapshot ? 1 : 0);
            two.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void firstRaiseNeverPassesInASnapshotFromBeforeTheFence(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease current = rivals.locks().acquire(rivals.key);
            Connection one = rivals.begin(LEVELS.get(level));
            Connection two = rivals.begin(LEVELS.get(level));
            Rivals.number(two, "SELECT id FROM unrelated");
            FENCE.raise(one, old);
            write(one, rivals, 7);
            one.commit();
            CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, current));
            Rivals.repeat(two, raised, () -> FENCE.raise(two, current));
            assertThat(read(two, rivals)).isEqualTo(7);
            two.commit();
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void sharedCheckKeepsRaisesOutUntilTheCommit(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            for (String fence : List.of("missing", "there")) {
                Lease reader = rivals.locks().with(rivals.key).shared().acquire();
                reader.close();
                Lease current = rivals.locks().acquire(rivals.key);
                Connection one = rivals.begin(LEVELS.get(level));
                Connection two = rivals.begin(LEVELS.get(level));
                FENCE.check(one, reader);
                CompletableFuture<Void> raised = rivals.start(() -> FENCE.raise(two, current));
                assertThat(raised).as("the raise while the fence is %s", fence).isNotDone();
                one.commit();
                Rivals.repeat(two, raised, () -> FENCE.raise(two, current));
                two.commit();
                current.close();
                assertThatThrownBy(() -> FENCE.check(one, reader)).isInstanceOf(StaleTokenException.class);
                one.rollback();
            }
        }
    }

    @ParameterizedTest
    @MethodSource("everywhere")
    void sharedCheckNeverPassesInASnapshotFromBeforeTheLatestWrite(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease old = rivals.former();
            Lease reader = rivals.locks().with(rivals.key).shared().acquire();
            Connection one = rivals.begin(LEVELS.get(level));
            Connection two = rivals.begin(LEVELS.get(level));
            Rivals.number(two, "SELECT id FROM unrelated");
            FENCE.raise(one, old);
            write(one, rivals, 7);
            one.commit();
            CompletableFuture<Void> checked = rivals.start(() -> FENCE.check(two, reader));
            Rivals.repeat(two, checked, () -> FENCE.check(two, reader));
            assertThat(read(two, rivals)).isEqualTo(7);
        }
    }

    /** H2 has no shared row locks, so there they take turns. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void sharedChecksDoNotWaitForEachOther(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            Lease before = rivals.former();
            Lease one = rivals.locks().with(rivals.key).shared().acquire();
            Connection first = rivals.begin(LEVELS.get(level));
            FENCE.raise(first, before);
            first.commit();
            FENCE.check(first, one);
            Connection second = rivals.begin(LEVELS.get(level));
            CompletableFuture<Void> checked = rivals.start(() -> FENCE.check(second, one));
            if (dialect == Dialect.H2) {
                first.commit();
            }
            Rivals.finish(checked);
        }
    }

    /** A lock on the gap where a fence is missing would hold up others, and let two insertions wait for each other. */
    @ParameterizedTest
    @MethodSource("everywhere")
    void firstRaisesOfDifferentLocksDoNotWaitForEachOther(Dialect dialect, String level) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            String prefix = UUID.randomUUID().toString();
            Connection one = rivals.begin(LEVELS.get(level));
            Connection two = rivals.begin(LEVELS.get(level));
            for (int i = 0; i < 4; i++) {
                Lease first = rivals.locks().acquire(LockKey.of(prefix + i + "a"));
                Lease second = rivals.locks().acquire(LockKey.of(prefix + i + "b"));
                FENCE.raise(i % 2 == 0 ? one : two, first);
                FENCE.raise(i % 2 == 0 ? two : one, second);
            }
            one.commit();
            two.commit();
        }
    }

    /** H2 sees no circle here, and ends it by its lock timeout. */
    @ParameterizedTest
    @EnumSource
    void circleOfTwoFencesEndsForOneOfThem(Dialect dialect) throws Exception {
        try (Rivals rivals = rivals(dialect)) {
            String prefix = UUID.randomUUID().toString();
            Lease a = rivals.locks().acquire(LockKey.of(prefix, "a"));
            Lease b = rivals.locks().acquire(LockKey.of(prefix, "b"));
            Connection one = rivals.begin();
            Connection two = rivals.begin();
            FENCE.raise(one, a);
            FENCE.raise(two, b);
            CompletableFuture<Void> forward = rivals.start(() -> FENCE.raise(one, b));
            CompletableFuture<Void> backward = rivals.start(() -> FENCE.raise(two, a));
            await().atMost(Duration.ofMinutes(1))
                    .until(() -> forward.isCompletedExceptionally() || backward.isCompletedExceptionally());
            boolean forwardLost = forward.isCompletedExceptionally();
            assertThatThrownBy(() -> Rivals.finish(forwardLost ? forward : backward))
                    .isInstanceOf(dialect == Dialect.H2 ? LockTimeoutException.class : ConflictException.class);
            (forwardLost ? one : two).rollback();
            if (dialect != Dialect.H2) {
                Rivals.finish(forwardLost ? backward : forward);
                (forwardLost ? two : one).commit();
            }
        }
    }
}
