package dev.interlock.jdbc.tx;

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
 * Leases that end after the transaction does, where a framework or older code begins and ends it.
 *
 * <pre>{@code
 * TransactionLeases leases = TransactionLeases.over(locks);
 * DataSource watched = leases.watch(dataSource);                    // once, around the pool
 *
 * connection.setAutoCommit(false);                                  // a connection of the watched source
 * Lease lease = leases.acquire(connection, locks.with(key));        // released after commit, rollback or close of this connection
 * }</pre>
 *
 * <p><b>Tied.</b> {@link #acquire} gives a lease that is released when the transaction has ended: a commit or rollback that was answered
 * without an error, or the connection given up. Closing it earlier, for example by try-with-resources, waits for that; {@code release()}
 * cannot say what will happen and is refused. A commit that fails ends nothing by itself: the lease stays until the rollback or
 * close that follows. A commit that is sent as an SQL text is not noticed, so the lease stays until close: later, never earlier.
 *
 * <p><b>Warning.</b> Every watched connection also notices a mistake with ordinary leases: a key that the thread's scope held while a
 * statement was prepared, and no longer holds when the transaction commits. Whoever takes that lock next may read the data as it was
 * before the commit. It is logged once for each place in the code.
 *
 * <p>What is tied has begun inside the transaction, so in REPEATABLE READ the transaction may see data from before the lock was held; {@link
 * JdbcFence#raise} finds that out. {@link LockedTransactions} avoids it from the start. A lease that is lost meanwhile is not
 * noticed by the commit: call {@code ensureHeld()} before it, or use the fence.
 *
 * <p>Thread-safe; a connection is not.
 */
public final class TransactionLeases {
    private final Locks locks;
    private final Places warned = new Places();

    private TransactionLeases(Locks locks) {
        this.locks = locks;
    }

    /** For locks that these give. */
    public static TransactionLeases over(Locks locks) {
        return new TransactionLeases(Objects.requireNonNull(locks, "locks is null: give those of the application"));
    }

    /** The same data source, whose connections notice the end of their transactions. Wrap it around the pool, not inside. */
    public DataSource watch(DataSource source) {
        Objects.requireNonNull(source, "source is null: give the data source of the data");
        return (DataSource) Proxy.newProxyInstance(
                TransactionLeases.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (method.getName().equals("equals")) {
                        return proxy == arg(args);
                    }
                    Object given = invoke(source, method, args);
                    return given instanceof Connection connection ? watch(connection) : given;
                });
    }

    /** The same connection, which notices the end of its transactions. */
    public Connection watch(Connection connection) {
        Objects.requireNonNull(connection, "connection is null: give the one that the transaction runs on");
        return (Connection) Proxy.newProxyInstance(
                TransactionLeases.class.getClassLoader(),
                new Class<?>[] {Connection.class},
                new WatchedConnection(connection, locks, warned));
    }

    /**
     * Waits for a lock as the request says, and ties it to the transaction of this connection.
     *
     * @return the lease or lease set, released when the transaction has ended
     * @throws IllegalArgumentException if nobody watches this connection
     * @throws IllegalStateException if the connection is in auto-commit mode
     */
    public <H extends Holding> H acquire(Connection connection, LockRequest<H> request) throws SQLException {
        Objects.requireNonNull(connection, "connection is null: give the one that the transaction runs on");
        Objects.requireNonNull(request, "request is null: for example locks.with(key)");
        if (!connection.isWrapperFor(WatchedConnection.class)) {
            throw new IllegalArgumentException(
                    "Nobody watches this connection: take it from watch(dataSource), or give it to watch(connection)");
        }
        InTransaction.dialect(connection, "A lease that is tied to a transaction");
        WatchedConnection watched = connection.unwrap(WatchedConnection.class);
        H held = request.acquire();
        if (connection.isClosed()) {
            // Nothing would ever end it.
            held.close();
            throw new IllegalStateException("The connection was closed while " + held + " was waited for");
        }
        watched.tie(held);
        return tied(held);
    }

    @SuppressWarnings("unchecked") // a request gives leases or lease sets, and nobody else implements either
    private static <H extends Holding> H tied(H held) {
        Class<?> type = held instanceof LeaseSet ? LeaseSet.class : Lease.class;
        return (H) Proxy.newProxyInstance(
                TransactionLeases.class.getClassLoader(), new Class<?>[] {type}, (proxy, method, args) -> {
                    return switch (method.getName()) {
                        case "close" -> null;
                        case "release", "releaseAsync" ->
                            throw new UnsupportedOperationException(
                                    held + " is tied to a transaction and released after it: commit or roll back");
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
