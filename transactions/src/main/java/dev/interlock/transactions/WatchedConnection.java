package dev.interlock.transactions;

import dev.interlock.lock.Holding;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.Locks;
import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Method;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.Deque;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedDeque;
import org.jspecify.annotations.Nullable;

/**
 * A connection that detects the end of its transactions, and records the locks that were held during them.
 *
 * <p>Invariant: a tied lease is released after the transaction has ended, never before, and at the latest when the
 * connection is closed.
 */
final class WatchedConnection implements InvocationHandler {
    private static final System.Logger LOG = System.getLogger("dev.interlock.transactions");

    private final Connection target;
    private final Locks locks;
    private final CallSites warned;
    private final Deque<Holding> tied = new ConcurrentLinkedDeque<>();

    /** The locks that were held when statements of this transaction were prepared, each with its first call site. */
    private final Map<LockKey, Use> used = new ConcurrentHashMap<>();

    private record Use(LockScope scope, String callSite) {}

    WatchedConnection(Connection target, Locks locks, CallSites warned) {
        this.target = target;
        this.locks = locks;
        this.warned = warned;
    }

    void tie(Holding held) {
        tied.add(held);
    }

    @Override
    public @Nullable Object invoke(Object proxy, Method method, Object @Nullable [] args) throws Throwable {
        Object first = args == null || args.length == 0 ? null : args[0];
        return switch (method.getName()) {
            case "equals" -> proxy == first;
            case "hashCode" -> System.identityHashCode(proxy);
            case "toString" -> "watched " + target;
            case "isWrapperFor" -> first == WatchedConnection.class ? true : pass(method, args);
            case "unwrap" -> first == WatchedConnection.class ? this : pass(method, args);
            case "createStatement", "prepareStatement", "prepareCall" -> {
                recordHeldLocks();
                yield pass(method, args);
            }
            case "commit" -> commit(method, args);
            case "setAutoCommit" ->
                Boolean.TRUE.equals(first) && !target.isClosed() && !target.getAutoCommit()
                        ? commit(method, args)
                        : pass(method, args);
            case "rollback" -> {
                Object result = pass(method, args);
                if (first == null) {
                    end();
                }
                yield result;
            }
            case "close", "abort" -> {
                try {
                    yield pass(method, args);
                } finally {
                    end();
                }
            }
            default -> pass(method, args);
        };
    }

    private @Nullable Object pass(Method method, Object @Nullable [] args) throws Throwable {
        return TransactionLeases.invoke(target, method, args);
    }

    private @Nullable Object commit(Method method, Object @Nullable [] args) throws Throwable {
        warnOfReleasedLocks();
        Object result = pass(method, args);
        end();
        return result;
    }

    private void recordHeldLocks() throws SQLException {
        LockScope scope = locks.currentScope();
        for (LockKey key : scope.held()) {
            if (!used.containsKey(key) && !target.getAutoCommit()) {
                used.put(key, new Use(scope, CallSites.current()));
            }
        }
    }

    private void warnOfReleasedLocks() {
        used.forEach((key, use) -> {
            if (!use.scope.held().contains(key) && warned.add(use.callSite)) {
                LOG.log(
                        System.Logger.Level.WARNING,
                        "\"" + key + "\" was held for a statement at " + use.callSite
                                + " and released before its transaction commits: the next holder may read the data as"
                                + " it was before the commit. Release the lock after the commit, for example with"
                                + " LockedTransactions or TransactionLeases");
            }
        });
    }

    private void end() {
        used.clear();
        // In reverse order, like nested try-with-resources blocks.
        for (Holding held = tied.pollLast(); held != null; held = tied.pollLast()) {
            held.close();
        }
    }
}
