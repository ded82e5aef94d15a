package dev.interlock.jdbc.tx;

import dev.interlock.jdbc.internal.AdvisoryHash;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockTimeoutException;
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
 * PostgreSQL's advisory locks in a transaction of the caller's: taken on its connection, released by the database when it commits, rolls
 * back or ends in any other way.
 *
 * <pre>{@code
 * connection.setAutoCommit(false);
 * locks.lock(connection, List.of(LockKey.of("seat", "12A"), LockKey.of("seat", "12B")), Duration.ofSeconds(2));
 * // … the transaction's own statements …
 * connection.commit();
 * }</pre>
 *
 * <p>Several keys are taken in the order in which {@link LockKey} compares, whatever the order they are given in, all of them or none: two
 * callers of one call each cannot wait for each other. Two calls in one transaction can, and so can row locks; PostgreSQL then ends one of
 * the transactions with an {@link SQLException}.
 *
 * <p>There is no lease, since nothing expires before the transaction does, and no token, since what the transaction writes is undone if it
 * loses the lock: a lost connection is a transaction that was rolled back. Writes elsewhere are not protected. A thread that waits is
 * not ended by an interrupt, but by the end of its patience.
 *
 * <p>The hash of the names is that of {@code AdvisoryLockBackend}, so the two exclude each other in one namespace of one database, also
 * within one process. A pooler that swaps sessions between transactions does no harm here. Thread-safe; the connection is used by the
 * calling thread only.
 */
public final class AdvisoryLocks {
    private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");
    private static final String LOCK_NOT_AVAILABLE = "55P03";
    private static final String EXCLUSIVE = "";
    private static final String SHARED = "_shared";
    private static final Duration LONGEST_WAIT = Duration.ofDays(1);

    private final String namespace;

    private AdvisoryLocks(String namespace) {
        this.namespace = namespace;
    }

    /** Locks without a namespace. */
    public static AdvisoryLocks create() {
        return new AdvisoryLocks("");
    }

    /** Locks that are apart from those of other namespaces in the same database. */
    public static AdvisoryLocks inNamespace(String namespace) {
        Objects.requireNonNull(namespace, "namespace is null: use create() to have none");
        if (!NAMESPACE.matcher(namespace).matches()) {
            throw new IllegalArgumentException(
                    "Namespace \"" + namespace + "\": choose 1 to 64 of letters, digits, dot, dash and underscore");
        }
        return new AdvisoryLocks(namespace);
    }

    /**
     * Locks keys against everybody else until the transaction ends; waits for them.
     *
     * @param waitAtMost for all keys together
     * @throws LockTimeoutException if one is still busy then: the transaction goes on with none of the keys of this call
     * @throws IllegalStateException if the connection commits each statement by itself
     * @throws LockRefusedException if the database is not PostgreSQL
     * @throws SQLException what else the database says; the transaction is then as it leaves it
     */
    public void lock(Connection connection, Collection<LockKey> keys, Duration waitAtMost) throws SQLException {
        takeOrThrow(connection, keys, waitAtMost, EXCLUSIVE);
    }

    /** As {@link #lock}, together with others who lock them shared. */
    public void lockShared(Connection connection, Collection<LockKey> keys, Duration waitAtMost) throws SQLException {
        takeOrThrow(connection, keys, waitAtMost, SHARED);
    }

    /**
     * Locks keys against everybody else until the transaction ends, if all of them are free.
     *
     * @return false if one is busy: the transaction goes on with none of the keys of this call
     * @throws IllegalStateException if the connection commits each statement by itself
     * @throws LockRefusedException if the database is not PostgreSQL
     * @throws SQLException what else the database says; the transaction is then as it leaves it
     */
    public boolean tryLock(Connection connection, Collection<LockKey> keys) throws SQLException {
        return take(connection, keys, Duration.ZERO, EXCLUSIVE) == null;
    }

    /** As {@link #tryLock}, together with others who lock them shared. */
    public boolean tryLockShared(Connection connection, Collection<LockKey> keys) throws SQLException {
        return take(connection, keys, Duration.ZERO, SHARED) == null;
    }

    private void takeOrThrow(Connection connection, Collection<LockKey> keys, Duration waitAtMost, String mode)
            throws SQLException {
        Objects.requireNonNull(waitAtMost, "waitAtMost is null: use tryLock not to wait");
        if (waitAtMost.isNegative() || waitAtMost.compareTo(LONGEST_WAIT) > 0) {
            throw new IllegalArgumentException("waitAtMost is " + waitAtMost + ": choose 0 to " + LONGEST_WAIT);
        }
        LockKey busy = take(connection, keys, waitAtMost, mode);
        if (busy != null) {
            throw new LockTimeoutException("\"" + busy + "\" was still locked by another transaction or session after "
                    + waitAtMost.toMillis() + " ms: wait longer, or try again later");
        }
    }

    /** Takes all keys, or answers which one is busy and takes none: what was locked since a savepoint is unlocked by going back to it. */
    private @Nullable LockKey take(Connection connection, Collection<LockKey> keys, Duration waitAtMost, String mode)
            throws SQLException {
        List<LockKey> sorted = checked(connection, keys);
        long end = System.nanoTime() + waitAtMost.toNanos();
        String before = ask(connection, "SELECT current_setting('lock_timeout')");
        Savepoint start = connection.setSavepoint();
        for (LockKey key : sorted) {
            if (!takeOne(connection, key, TimeUnit.NANOSECONDS.toMillis(end - System.nanoTime()), mode)) {
                connection.rollback(start);
                connection.releaseSavepoint(start);
                return key;
            }
        }
        setLockTimeout(connection, before);
        connection.releaseSavepoint(start);
        return null;
    }

    private static List<LockKey> checked(Connection connection, Collection<LockKey> keys) throws SQLException {
        Objects.requireNonNull(connection, "connection is null: give the connection of the transaction");
        Objects.requireNonNull(keys, "keys is null: say what to lock");
        List<LockKey> sorted = keys.stream()
                .map(key -> Objects.requireNonNull(key, "one of the keys is null"))
                .distinct()
                .sorted()
                .toList();
        if (sorted.isEmpty()) {
            throw new IllegalArgumentException("keys is empty: say what to lock");
        }
        if (connection.getAutoCommit()) {
            throw new IllegalStateException("The connection commits each statement by itself, so the locks on " + sorted
                    + " would end at once: call setAutoCommit(false) and lock within the transaction");
        }
        if (Dialect.of(connection) != Dialect.POSTGRESQL) {
            throw new LockRefusedException("Advisory locks need PostgreSQL, but this is "
                    + connection.getMetaData().getDatabaseProductName());
        }
        return sorted;
    }

    private boolean takeOne(Connection connection, LockKey key, long millis, String mode) throws SQLException {
        long hash = AdvisoryHash.of(namespace, key);
        if (ask(connection, "SELECT pg_try_advisory_xact_lock" + mode + "(" + hash + ")")
                .equals("t")) {
            return true;
        }
        // A time limit of zero would be none.
        if (millis <= 0) {
            return false;
        }
        setLockTimeout(connection, millis + "ms");
        try {
            ask(connection, "SELECT pg_advisory_xact_lock" + mode + "(" + hash + ")");
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

    private static String ask(Connection connection, String sql) throws SQLException {
        try (Statement statement = connection.createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            row.next();
            return String.valueOf(row.getString(1));
        }
    }
}
