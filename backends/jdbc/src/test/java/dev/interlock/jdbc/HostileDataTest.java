package dev.interlock.jdbc;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.InterlockException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Optional;
import java.util.UUID;
import java.util.function.Consumer;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * X25, X26: foreign data in our tables is answered by an error that names the lock. No call hangs or loops, and other
 * locks keep working.
 */
@Timeout(60)
@Execution(ExecutionMode.CONCURRENT)
@Tag("full")
@Tag("server")
class HostileDataTest {
    private static final long LONG_AGO = 1;
    private static final long FAR = Long.MAX_VALUE / 4;
    private static final Duration BRIEF = ofSeconds(3);

    @RegisterExtension
    static final Databases databases = new Databases();

    private final String namespace = UUID.randomUUID().toString();
    private final LockKey key = LockKey.of("x");
    private final LockKey other = LockKey.of("other");
    private Dialect dialect;
    private Interlock interlock;

    private void open(Dialect on) {
        dialect = on;
        interlock = Interlock.over(databases.backend(on).namespace(namespace).build());
        interlock.locks().acquire(key).close();
    }

    @AfterEach
    void close() {
        if (interlock != null) {
            interlock.close();
        }
    }

    /** Binds the values, then the namespace and the name, with which every statement ends. */
    private void plant(String sql, Object... values) {
        try (Connection connection = databases.pool(dialect).getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            int index = 1;
            for (Object value : values) {
                statement.setObject(index++, value);
            }
            dialect.setName(statement, index++, namespace);
            dialect.setName(statement, index, key.name());
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException(sql + ": " + e.getMessage(), e);
        }
    }

    private void plantRow(String assignments, Object... values) {
        plant("UPDATE interlock_lock SET " + assignments + " WHERE namespace = ? AND name = ?", values);
    }

    /** Inserts a shared or permit holder whose lease never ends. */
    private void plantHolder(String owner, String mode, long number, int permits) {
        plantRow("queued = TRUE");
        plant(
                "INSERT INTO interlock_holder (owner, mode, number, permits, label, granted_at, lease_end, record_end,"
                        + " namespace, name) VALUES (?, ?, ?, ?, 'planted', 1, ?, ?, ?, ?)",
                owner,
                mode,
                number,
                permits,
                FAR,
                FAR);
    }

    private void plantWaiter(String owner, String mode, long heartbeatWithin, long heartbeatAt, long place) {
        plantRow("queued = TRUE");
        plant(
                "INSERT INTO interlock_waiter (owner, mode, place, permits, capacity, heartbeat_within, heartbeat_at,"
                        + " token_floor, channel, label, namespace, name) VALUES (?, ?, ?, 1, 1, ?, ?, 0, '',"
                        + " 'planted', ?, ?)",
                owner,
                mode,
                place,
                heartbeatWithin,
                heartbeatAt);
    }

    /** An acquire is answered within its patience, and every error is an Interlock exception. */
    private void acquireOr(Consumer<Throwable> answered) {
        long began = System.nanoTime();
        try (Lease lease = interlock.locks().with(key).waitAtMost(BRIEF).acquire()) {
            lease.ensureHeld();
            answered.accept(null);
        } catch (InterlockException e) {
            answered.accept(e);
        }
        assertThat(Duration.ofNanos(System.nanoTime() - began)).as("patience").isLessThan(BRIEF.plusSeconds(8));
    }

    /** Another lock can be acquired, renewed, listed and released. */
    private void otherLocksWork() {
        try (Lease lease =
                interlock.locks().with(other).waitAtMost(ofSeconds(5)).acquire()) {
            assertThat(lease.renew(ofSeconds(40))).isGreaterThan(ofSeconds(30));
            assertThat(interlock
                            .operator()
                            .list(other.name(), Optional.empty(), 10)
                            .locks())
                    .hasSize(1);
        }
    }

    @ParameterizedTest
    @EnumSource
    void unknownModeIsRefusedByName(Dialect on) throws Exception {
        open(on);
        plantHolder("planted", "Z", 5, 1);
        acquireOr(error ->
                assertThat(error).isInstanceOf(LockRefusedException.class).hasMessageContaining("\"x\""));
        otherLocksWork();
    }

    @ParameterizedTest
    @EnumSource
    void foreignOwnerIsBusyOrRefusedByName(Dialect on) throws Exception {
        open(on);
        plantRow("owner = ?, lease_end = ?, record_end = ?", "\u2603 not an owner\t'; --", FAR, FAR);
        acquireOr(error -> assertThat(error)
                .isInstanceOfAny(LockRefusedException.class, LockTimeoutException.class)
                .hasMessageContaining("\"x\""));
        otherLocksWork();
        assertThat(interlock.operator().list("", Optional.empty(), 10)).isNotNull();
    }

    @ParameterizedTest
    @EnumSource
    void waiterWithAnEndlessHeartbeatIsHarmlessOrAnErrorThatNamesTheLock(Dialect on) throws Exception {
        open(on);
        plantWaiter("planted", "E", Long.MAX_VALUE, Long.MAX_VALUE, 1);
        acquireOr(error -> {
            if (error != null) {
                assertThat(error).hasMessageContaining("\"x\"");
            }
        });
        otherLocksWork();
    }

    @ParameterizedTest
    @EnumSource
    void nextGrantIsAboveANegativeNumber(Dialect on) throws Exception {
        open(on);
        plantRow("number = ?", Long.MIN_VALUE);
        acquireOr(error -> assertThat(error).isNull());
        try (Lease lease = interlock.locks().acquire(key)) {
            assertThat(lease.token().grant()).isPositive();
        }
    }

    @ParameterizedTest
    @EnumSource
    void exhaustedNumbersAreRefusedByName(Dialect on) throws Exception {
        open(on);
        for (long number : new long[] {FencingToken.MAX_GRANT, Long.MAX_VALUE}) {
            plantRow("number = ?", number);
            acquireOr(error ->
                    assertThat(error).isInstanceOf(LockRefusedException.class).hasMessageContaining("\"x\""));
            assertThatThrownBy(() -> interlock
                            .locks()
                            .with(key)
                            .shared()
                            .waitAtMost(BRIEF)
                            .acquire())
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("\"x\"");
        }
        otherLocksWork();
    }

    @ParameterizedTest
    @EnumSource
    void excessivePermitsDoNotOpenTheLock(Dialect on) throws Exception {
        open(on);
        plantHolder(UUID.randomUUID().toString(), "P", 5, Integer.MAX_VALUE);
        plantHolder(UUID.randomUUID().toString(), "P", 6, Integer.MAX_VALUE);
        assertThatThrownBy(() -> interlock
                        .locks()
                        .with(key)
                        .permits(1, 2)
                        .waitAtMost(BRIEF)
                        .acquire())
                .isInstanceOfAny(LockRefusedException.class, LockTimeoutException.class);
        otherLocksWork();
    }

    /** X26: thousands of dead waiters are removed in a bounded number of statements, and the lock is granted. */
    @ParameterizedTest
    @EnumSource
    void hugeQueueOfDeadWaitersIsSkipped(Dialect on) throws Exception {
        open(on);
        plantWaiters(3_000, LONG_AGO);
        long began = System.nanoTime();
        interlock.locks().with(key).waitAtMost(ofSeconds(10)).acquire().close();
        System.out.printf(
                "X26 on %s: granted behind 3000 dead waiters after %d ms%n",
                dialect, (System.nanoTime() - began) / 1_000_000);
    }

    /** X26: live waiters come first, but reading them is bounded. */
    @ParameterizedTest
    @EnumSource
    void hugeQueueOfLiveWaitersIsBusyWithinThePatience(Dialect on) throws Exception {
        open(on);
        plantWaiters(3_000, FAR);
        acquireOr(error -> assertThat(error).isInstanceOf(LockTimeoutException.class));
        otherLocksWork();
    }

    private void plantWaiters(int size, long heartbeatAt) throws SQLException {
        plantRow("queued = TRUE");
        try (Connection connection = databases.pool(dialect).getConnection();
                PreparedStatement statement = connection.prepareStatement(
                        "INSERT INTO interlock_waiter (namespace, name, place, owner, mode, permits, capacity,"
                                + " heartbeat_within, heartbeat_at, token_floor, channel, label) VALUES (?, ?, ?, ?,"
                                + " 'E', 1, 1, 1000000, ?, 0, '', '')")) {
            connection.setAutoCommit(false);
            for (int i = 0; i < size; i++) {
                dialect.setName(statement, 1, namespace);
                dialect.setName(statement, 2, key.name());
                statement.setLong(3, i - size);
                statement.setString(4, UUID.randomUUID().toString());
                statement.setLong(5, heartbeatAt);
                statement.addBatch();
            }
            statement.executeBatch();
            connection.commit();
            connection.setAutoCommit(true);
        }
    }

    /** X01, X10: refused before the database is called. */
    @ParameterizedTest
    @EnumSource
    void invalidDurationsAndNamesAreRefused(Dialect on) {
        open(on);
        var locks = interlock.locks();
        assertThatThrownBy(() -> locks.with(key).leaseFor(Duration.ZERO)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.with(key).leaseFor(ofSeconds(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> locks.with(key).leaseFor(ofSeconds(Long.MAX_VALUE)))
                .isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockKey.of("")).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockKey.of("x".repeat(513))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> LockKey.of("\uD800")).isInstanceOf(IllegalArgumentException.class);
        // The longest allowed lease does not overflow in the database.
        try (Lease longest = locks.with(key).leaseFor(Duration.ofHours(24)).acquire()) {
            assertThat(longest.renew(Duration.ofHours(24))).isPositive();
        }
    }
}
