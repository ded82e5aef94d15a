package dev.interlock.transactions;

import dev.interlock.lock.Holding;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.StaleTokenException;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Runs transactions under a lock, in the only safe order: acquire, begin, work, commit, release.
 *
 * <pre>{@code
 * LockedTransactions transactions = LockedTransactions.over(dataSource).fencedBy(JdbcFence.inTable());
 *
 * transactions.run(locks.with(LockKey.of("inventory", sku)), (connection, lease) -> {
 *     int left = read(connection, sku);
 *     write(connection, sku, left - 1);
 * });
 * }</pre>
 *
 * <pre>
 *   lock          |=========================================|
 *   transaction       |== raise, read, write, commit ==|
 * </pre>
 *
 * <p>If the lock is released before the commit, the next holder reads the old data. If the transaction begins before
 * the lock is held, it may read from an older snapshot. This class prevents both mistakes. The request can have any
 * options and can be for one key or several.
 *
 * <p><b>Loss.</b> If the lease is lost before the commit, the transaction is rolled back with {@link
 * LeaseLostException}. The process can still be paused between this check and the commit. Use {@link #fencedBy} to
 * make that commit safe too: the transaction then has the fence locked from its first statement until it ends.
 *
 * <p><b>Outcome.</b> A normal return means committed. {@link CommitUnknownException} means that the database did not
 * answer the commit. Any other exception means not committed. In each case the lock is released after the database has
 * answered or the connection was closed. An interrupt ends the wait for the lock, but does not cancel a statement.
 *
 * <p>Immutable and thread-safe. A call uses one connection of the data source, and none while it waits for the lock.
 *
 * @since 0.1.0
 */
public final class LockedTransactions {
    private final DataSource source;
    private final @Nullable JdbcFence fence;

    private LockedTransactions(DataSource source, @Nullable JdbcFence fence) {
        this.source = source;
        this.fence = fence;
    }

    /**
     * Work in a transaction under a lock.
     *
     * @since 0.1.0
     */
    @FunctionalInterface
    public interface Action<H extends Holding, E extends Exception> {
        /** Does the work. Must not commit, roll back or close the connection. */
        void run(Connection connection, H held) throws SQLException, E;
    }

    /**
     * Work in a transaction under a lock, with a result.
     *
     * @since 0.1.0
     */
    @FunctionalInterface
    public interface Function<H extends Holding, T extends @Nullable Object, E extends Exception> {
        /** Does the work. Must not commit, roll back or close the connection. */
        T call(Connection connection, H held) throws SQLException, E;
    }

    /** Returns transactions on connections of this data source, without a fence. */
    public static LockedTransactions over(DataSource source) {
        return new LockedTransactions(
                Objects.requireNonNull(source, "source is null: pass the data source of the data"), null);
    }

    /**
     * Returns transactions that raise this fence with their first statement, or check it if the lease is shared. Use
     * the fence in every place that writes the data.
     */
    public LockedTransactions fencedBy(JdbcFence fence) {
        return new LockedTransactions(
                source, Objects.requireNonNull(fence, "fence is null: do not call fencedBy to have no fence"));
    }

    /**
     * Acquires the lock, does the work in a transaction, commits it and releases the lock.
     *
     * @throws LeaseLostException if the lease was lost before the commit; not committed
     * @throws StaleTokenException if the fence has a newer token; not committed
     * @throws CommitUnknownException if the database did not answer the commit
     */
    public <H extends Holding, E extends Exception> void run(LockRequest<H> request, Action<? super H, E> work)
            throws SQLException, E {
        Objects.requireNonNull(work, "work is null: pass the work to do in the transaction");
        this.<H, Boolean, E>call(request, (connection, held) -> {
            work.run(connection, held);
            return true;
        });
    }

    /** Does the same as {@link #run}, and returns the result of the work. */
    public <H extends Holding, T extends @Nullable Object, E extends Exception> T call(
            LockRequest<H> request, Function<? super H, T, E> work) throws SQLException, E {
        Objects.requireNonNull(request, "request is null: for example locks.with(key)");
        Objects.requireNonNull(work, "work is null: pass the work to do in the transaction");
        try (H held = request.acquire()) {
            return OwnTransaction.<T, E>call(source, connection -> {
                for (Lease lease : leases(held)) {
                    applyFence(connection, lease);
                }
                T result = work.call(connection, held);
                held.ensureHeld();
                return result;
            });
        }
    }

    private void applyFence(Connection connection, Lease lease) throws SQLException {
        if (fence == null) {
            return;
        }
        if (lease.mode() == LockMode.EXCLUSIVE) {
            fence.raise(connection, lease);
        } else {
            fence.check(connection, lease);
        }
    }

    private static List<Lease> leases(Holding held) {
        // In lock order, which is the same in all processes, so that waits for fences cannot form a cycle.
        return held instanceof LeaseSet set
                ? set.keys().stream().map(set::of).toList()
                : held instanceof Lease lease ? List.of(lease) : List.of();
    }
}
