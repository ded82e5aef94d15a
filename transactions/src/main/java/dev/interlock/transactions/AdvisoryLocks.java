package dev.interlock.transactions;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.transactions.internal.AdvisoryHash;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Savepoint;
import java.sql.Statement;
import java.time.Duration;
import java.util.Collection;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL advisory locks that last until the caller's transaction ends.
 *
 * <pre>{@code
 * AdvisoryLocks locks = AdvisoryLocks.create();
 *
 * connection.setAutoCommit(false);
 * locks.lock(connection, List.of(LockKey.of("seat", "12A"), LockKey.of("seat", "12B")), Duration.ofSeconds(2));
 * // … the statements of the transaction …
 * connection.commit();   // releases both locks
 * }</pre>
 *
 * <p>A call locks all of its keys or none, in the natural order of {@link LockKey}. Two transactions that make one call
 * each cannot deadlock. Two calls in one transaction can, and so can a call together with row locks. PostgreSQL then
 * aborts one of the transactions with an {@link SQLException}.
 *
 * <p>There is no lease, because the lock cannot expire before the transaction ends. There is no token, because a
 * transaction that loses the lock is rolled back: the database releases the lock when the connection is lost. Writes to
 * other systems are not protected. An interrupt does not end a wait; {@code waitAtMost} does.
 *
 * <p>{@code AdvisoryLockBackend} of {@code interlock-jdbc} uses the same lock numbers. Its leases and these locks
 * exclude each other if database and namespace are the same, also within one process. Connection poolers in
 * transaction mode, such as PgBouncer, are safe.
 *
 * <p>Immutable and thread-safe; a connection is not.
 *
 * @since 0.1.0
 */
public final class AdvisoryLocks {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String EXCLUSIVE = "";
    private static final String SHARED = "_shared";
    private static final Duration MAX_WAIT = Duration.ofDays(1);

    private final String namespace;

    private AdvisoryLocks(String namespace) {
        this.namespace = namespace;
    }

    /** Returns locks without a namespace. */
    public static AdvisoryLocks create() {
        return new AdvisoryLocks("");
    }

    /** Returns locks that are independent of those of other namespaces in the same database. */
    public static AdvisoryLocks inNamespace(String namespace) {
        Objects.requireNonNull(namespace, "namespace is null: use create() for locks without a namespace");
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException(
                    "Namespace \"" + namespace + "\": use 1 to 64 letters, digits, dots, dashes and underscores");
        }
        return new AdvisoryLocks(namespace);
    }

    /**
     * Locks all keys exclusively until the transaction ends, and waits for them.
     *
     * @param waitAtMost the maximum wait for all keys together, 0 to 1 day
     * @throws LockTimeoutException if a key is still locked then; this call has locked no key, and the transaction can
     *     continue
     * @throws IllegalArgumentException if there are no keys, or if {@code waitAtMost} is out of range
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws LockRefusedException if the database is not PostgreSQL
     * @throws SQLException if the database reports any other error; roll back
     */
    public void lock(Connection connection, Collection<LockKey> keys, Duration waitAtMost) throws SQLException {
        lockOrThrow(connection, keys, waitAtMost, EXCLUSIVE);
    }

    /** Locks all keys like {@link #lock}, but shared: other transactions can lock them shared at the same time. */
    public void lockShared(Connection connection, Collection<LockKey> keys, Duration waitAtMost) throws SQLException {
        lockOrThrow(connection, keys, waitAtMost, SHARED);
    }

    /**
     * Locks all keys exclusively until the transaction ends, if all of them are free. Does not wait.
     *
     * @return false if a key is locked; this call has locked no key, and the transaction can continue
     * @throws IllegalArgumentException if there are no keys
     * @throws IllegalStateException if the connection is in auto-commit mode
     * @throws LockRefusedException if the database is not PostgreSQL
     * @throws SQLException if the database reports any other error; roll back
     */
    public boolean tryLock(Connection connection, Collection<LockKey> keys) throws SQLException {
        return lockAll(connection, keys, Duration.ZERO, EXCLUSIVE) == null;
    }

    /** Locks all keys like {@link #tryLock}, but shared: other transactions can lock them shared at the same time. */
    public boolean tryLockShared(Connection connection, Collection<LockKey> keys) throws SQLException {
        return lockAll(connection, keys, Duration.ZERO, SHARED) == null;
    }

    private void lockOrThrow(Connection connection, Collection<LockKey> keys, Duration waitAtMost, String mode)
            throws SQLException {
        Objects.requireNonNull(waitAtMost, "waitAtMost is null: use tryLock if you do not want to wait");
        if (waitAtMost.isNegative() || waitAtMost.compareTo(MAX_WAIT) > 0) {
            throw new IllegalArgumentException("waitAtMost is " + waitAtMost + ": choose 0 to " + MAX_WAIT);
        }
        LockKey busy = lockAll(connection, keys, waitAtMost, mode);
        if (busy != null) {
            throw new LockTimeoutException("\"" + busy + "\" was still locked by another transaction or session after "
                    + waitAtMost.toMillis() + " ms: wait longer or try again later");
        }
    }

    /**
     * Locks all keys and returns null, or locks none and returns the key that is busy. Rolling back to a savepoint
     * releases the locks that were acquired after it.
     */
    private @Nullable LockKey lockAll(Connection connection, Collection<LockKey> keys, Duration waitAtMost, String mode)
            throws SQLException {
        List<LockKey> sorted = checked(connection, keys);
        long end = System.nanoTime() + waitAtMost.toNanos();
        String lockTimeout = query(connection, "SELECT current_setting('lock_timeout')");
        Savepoint start = connection.setSavepoint();
        for (LockKey key : sorted) {
            if (!lockOne(connection, key, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()), mode)) {
                connection.rollback(start);
                connection.releaseSavepoint(start);
                return key;
            }
        }
        setLockTimeout(connection, lockTimeout);
        connection.releaseSavepoint(start);
        return null;
    }

    private static List<LockKey> checked(Connection connection, Collection<LockKey> keys) throws SQLException {
        Objects.requireNonNull(connection, "connection is null: pass the connection of the transaction");
        Objects.requireNonNull(keys, "keys is null: pass the keys to lock");
        List<LockKey> sorted = keys.stream()
                .map(key -> Objects.requireNonNull(key, "one of the keys is null"))
                .distinct()
                .sorted()
                .toList();
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("keys is empty: pass the keys to lock");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("This connection is in auto-commit mode, so the locks on " + sorted
                    + " would end at once: call setAutoCommit(false) first");
        }
        if (Dialect.of(connection) != Dialect.POSTGRESQL) {
            throw new LockRefusedException("Advisory locks need PostgreSQL, but this is "
                    + connection.getMetaData().getDatabaseProductName());
        }
        return sorted;
    }

    private boolean lockOne(Connection connection, LockKey key, long millis, String mode) throws SQLException {
        long hash = AdvisoryHash.of(namespace, key);
        if (query(connection, "SELECT pg_try_advisory_xact_lock" + mode + "(" + hash + ")")
                .equals("t")) {
            return true;
        }
        // A lock_timeout of zero means no limit.
        if (millis <= 0) {
            return false;
        }
        setLockTimeout(connection, millis + "ms");
        try {
            query(connection, "SELECT pg_advisory_xact_lock" + mode + "(" + hash + ")");
            return true;
        } catch (SQLException e) {
            if (LOCK_NOT_AVAILABLE.equals(e.getSQLState())) {
                return false;
            }
            throw e;
        }
    }

    private static void setLockTimeout(Connection connection, String limit) throws SQLException {
        try (PreparedStatement set = connection.prepareStatement("SELECT set_config('lock_timeout', ?, true)")) {
            set.setString(1, limit);
            set.executeQuery().close();
        }
    }

    private static String query(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
