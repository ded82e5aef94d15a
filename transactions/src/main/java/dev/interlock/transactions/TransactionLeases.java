package dev.interlock.transactions;

import dev.interlock.lock.Holding;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Objects;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Leases that are released after a transaction has ended, for transactions that a framework or other code begins and
 * ends.
 *
 * <pre>{@code
 * TransactionLeases leases = TransactionLeases.over(locks);
 * DataSource watched = leases.watch(dataSource);               // once, around the pool
 *
 * connection.setAutoCommit(false);                             // a connection of the watched data source
 * Lease lease = leases.acquire(connection, locks.with(key));   // released after commit, rollback or close
 * }</pre>
 *
 * <p><b>Tied leases.</b> {@link #acquire} returns a lease that is tied to the transaction. It is released after a
 * commit or rollback succeeded, or after the connection was closed or aborted. Closing the lease earlier, for example
 * by try-with-resources, has no effect. {@code release()} throws, because its result would not be known yet. If a
 * commit fails, the lease stays held until the rollback or close that follows. A commit that is sent as SQL text is
 * not noticed, so the lease stays held until the connection is closed: later than necessary, never earlier.
 *
 * <p><b>Warnings.</b> A watched connection also detects a mistake with leases that are not tied: the thread's scope
 * held a lock when a statement was prepared, and no longer holds it when the transaction commits. The next holder may
 * then read the data as it was before the commit. This is logged once per call site.
 *
 * <p><b>Limits.</b> A tied lease is acquired inside the transaction. In REPEATABLE READ the transaction may therefore
 * see data from before the lock was held; {@link JdbcFence#raise} detects that, and {@link LockedTransactions} avoids
 * it. A commit does not check for a lost lease: call {@code ensureHeld()} before it, or use a fence.
 *
 * <p>Thread-safe; a connection is not.
 *
 * @since 0.1.0
 */
public final class TransactionLeases {
    private final Locks locks;
    private final CallSites warned = new CallSites();

    private TransactionLeases(Locks locks) {
        this.locks = locks;
    }

    /** Returns an instance whose warnings are about locks of this {@code Locks}. */
    public static TransactionLeases over(Locks locks) {
        return new TransactionLeases(Objects.requireNonNull(locks, "locks is null: pass the Locks of the application"));
    }

    /** Returns a data source whose connections are watched. Wrap it around the pool, not inside it. */
    public DataSource watch(DataSource source) {
        Objects.requireNonNull(source, "source is null: pass the data source of the data");
        return (DataSource) Proxy.newProxyInstance(
                TransactionLeases.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arg(args);
                    }
                    Object result = invoke(source, method, args);
                    return result instanceof Connection connection ? watch(connection) : result;
                });
    }

    /** Returns a watched connection that delegates to this one. */
    public Connection watch(Connection connection) {
        Objects.requireNonNull(connection, "connection is null: pass the connection of the transaction");
        return (Connection) Proxy.newProxyInstance(
                TransactionLeases.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new WatchedConnection(connection, locks, warned));
    }

    /**
     * Acquires the requested locks and ties them to the current transaction of this connection.
     *
     * @return the lease or lease set, which is released when the transaction has ended
     * @throws IllegalArgumentException if the connection is not watched
     * @throws IllegalStateException if the connection is in auto-commit mode, or was closed during the wait for the
     *     lock
     */
    public <H extends Holding> H acquire(Connection connection, LockRequest<H> request) throws SQLException {
        Objects.requireNonNull(connection, "connection is null: pass the connection of the transaction");
        Objects.requireNonNull(request, "request is null: for example locks.with(key)");
        if (!connection.isWrapperFor(WatchedConnection.class)) {
            throw new IllegalArgumentException(
                    "This connection is not watched: get it from watch(dataSource), or pass it to watch(connection)");
        }
        CallerTransaction.dialect(connection, "A lease that is tied to a transaction");
        WatchedConnection watched = connection.unwrap(WatchedConnection.class);
        H held = request.acquire();
        if (connection.isClosed()) {
            // No event would ever release the lease.
            held.close();
            throw new IllegalStateException("The connection was closed during the wait for " + held);
        }
        watched.tie(held);
        return tied(held);
    }

    @SuppressWarnings(
            "unchecked") // a request returns a lease or a lease set; there are no other implementations of Holding
    private static <H extends Holding> H tied(H held) {
        Class<?> type = held instanceof LeaseSet ? LeaseSet.class : Lease.class;
        return (H) Proxy.newProxyInstance(
                TransactionLeases.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    return switch (method.getName()) {
                        case "close" -> null;
                        case "release", "releaseAsync" ->
                            throw new UnsupportedOperationException(held
                                    + " is tied to a transaction and released when that ends: commit or roll back");
                        case "equals" -> proxy == arg(args);
                        default -> invoke(held, method, args);
                    };
                });
    }

    static @Nullable Object invoke(Object target, Method method, Object @Nullable [] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }

    private static @Nullable Object arg(Object @Nullable [] args) {
        return args == null ? null : args[0];
    }
}
