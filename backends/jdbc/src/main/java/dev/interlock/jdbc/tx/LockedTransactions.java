package dev.interlock.jdbc.tx;

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
 * Transactions under a lock, in the only order that is right: acquire, begin, work, commit, release.
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
 * <p>A lock that is released before the commit protects nothing: the next holder reads the old data. A transaction that begins before the
 * lock is held may read from a snapshot of before. Both cannot happen here. Any request will do, with its patience and options, for one key or
 * several.
 *
 * <p><b>Loss.</b> A lease that is lost by the time of the commit ends in {@link LeaseLostException} and a rollback. Between that look and the
 * commit the process may still be paused; with {@link #fencedBy} even that commit is safe, since the fence is locked by the transaction from
 * its beginning to its end.
 *
 * <p><b>How it ends.</b> Plain return: committed. {@link CommitUnknownException}: the commit was not answered. Any other exception: nothing
 * was committed. In each case the lock is released after the database has answered or the connection was given up. An interrupt ends the
 * wait for the lock as always, not a statement.
 *
 * <p>Immutable and thread-safe. Uses one connection of the data source at a time per call, and none while it waits for the lock.
 */
public final class LockedTransactions {
    private final DataSource source;
    private final @Nullable JdbcFence fence;

    private LockedTransactions(DataSource source, @Nullable JdbcFence fence) {
        this.source = source;
        this.fence = fence;
    }

    /** Work in a transaction under a lock. */
    @FunctionalInterface
    public interface Action<H extends Holding, E extends Exception> {
        /** Does the work. Does not commit, roll back or close. */
        void run(Connection connection, H held) throws SQLException, E;
    }

    /** Work in a transaction under a lock, with a result. */
    @FunctionalInterface
    public interface Function<H extends Holding, T extends @Nullable Object, E extends Exception> {
        /** Does the work. Does not commit, roll back or close. */
        T call(Connection connection, H held) throws SQLException, E;
    }

    /** Transactions on connections of this data source. */
    public static LockedTransactions over(DataSource source) {
        return new LockedTransactions(
                Objects.requireNonNull(source, "source is null: give the data source of the data"), null);
    }

    /** The same, and the first statement of each transaction raises this fence, or checks it if the lease is shared. */
    public LockedTransactions fencedBy(JdbcFence fence) {
        return new LockedTransactions(
                source, Objects.requireNonNull(fence, "fence is null: leave it out to have none"));
    }

    /**
     * Waits for the lock, does the work in a transaction, commits and releases.
     *
     * @throws LeaseLostException if the lease was lost before the commit; nothing was committed
     * @throws StaleTokenException if the fence has seen a newer token; nothing was committed
     * @throws CommitUnknownException if the commit was not answered
     */
    public <H extends Holding, E extends Exception> void run(LockRequest<H> request, Action<? super H, E> work)
            throws SQLException, E {
        Objects.requireNonNull(work, "work is null: say what to do in the transaction");
        this.<H, Boolean, E>call(request, (connection, held) -> {
            work.run(connection, held);
            return true;
        });
    }

    /** Like {@link #run}, and gives the result of the work. */
    public <H extends Holding, T extends @Nullable Object, E extends Exception> T call(
            LockRequest<H> request, Function<? super H, T, E> work) throws SQLException, E {
        Objects.requireNonNull(request, "request is null: for example locks.with(key)");
        Objects.requireNonNull(work, "work is null: say what to do in the transaction");
        try (H held = request.acquire()) {
            return OwnTransaction.<T, E>call(source, connection -> {
                for (Lease lease : leases(held)) {
                    guard(connection, lease);
                }
                T done = work.call(connection, held);
                held.ensureHeld();
                return done;
            });
        }
    }

    private void guard(Connection connection, Lease lease) throws SQLException {
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
        // In the order of the locks, which is one order for everybody, so fences are not waited for in a circle either.
        return held instanceof LeaseSet set
                ? set.keys().stream().map(set::of).toList()
                : held instanceof Lease lease ? List.of(lease) : List.of();
    }
}
