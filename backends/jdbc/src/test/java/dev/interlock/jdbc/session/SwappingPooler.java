package dev.interlock.jdbc.session;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import java.util.Set;
import org.postgresql.ds.PGSimpleDataSource;

/**
 * Behaves like PgBouncer with {@code pool_mode = transaction}: each connection has two sessions, and the end of every
 * transaction swaps them. A closed connection closes both.
 */
final class SwappingPooler extends PGSimpleDataSource {
    private static final long serialVersionUID = 1L;

    private static final Set<String> STATEMENTS = Set.of("createStatement", "prepareStatement");
    private static final Set<String> FOR_ALL =
            Set.of("close", "abort", "setNetworkTimeout", "setAutoCommit", "setTransactionIsolation");

    /** Whether it swaps sessions. */
    volatile boolean swaps = true;

    SwappingPooler(String url) {
        setUrl(url);
    }

    @Override
    public Connection getConnection() throws SQLException {
        List<Connection> sessions = List.of(super.getConnection(), super.getConnection());
        int[] current = new int[1];
        return (Connection) Proxy.newProxyInstance(
                getClass().getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, arguments) -> {
                    if (FOR_ALL.contains(method.getName())) {
                        for (Connection session : sessions) {
                            call(method, session, arguments);
                        }
                        return null;
                    }
                    Connection session = sessions.get(current[0]);
                    // With autocommit each statement is a transaction, so the next one uses the next session.
                    if (swaps && STATEMENTS.contains(method.getName()) && session.getAutoCommit()) {
                        current[0] = 1 - current[0];
                    }
                    return call(method, session, arguments);
                });
    }

    private static Object call(Method method, Object on, Object[] arguments) throws Throwable {
        try {
            return method.invoke(on, arguments);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
