package dev.interlock.jdbc.tx;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** A real data source, whose connections say what is about to be called and what has been. */
final class Observed {
    private Observed() {}

    interface Observer {
        void on(String moment, Connection connection) throws Exception;
    }

    static DataSource source(DataSource target, Observer observer) {
        return (DataSource) Proxy.newProxyInstance(
                Observed.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
                    if (!method.getName().equals("getConnection")) {
                        return invoke(target, method, args);
                    }
                    Connection connection = (Connection) invoke(target, method, args);
                    observer.on("borrowed", connection);
                    return observed(connection, observer);
                });
    }

    private static Connection observed(Connection target, Observer observer) {
        return (Connection) Proxy.newProxyInstance(
                Observed.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    observer.on("before " + method.getName(), target);
                    Object done = invoke(target, method, args);
                    observer.on("after " + method.getName(), target);
                    return done;
                });
    }

    private static Object invoke(Object target, Method method, Object[] args) throws Throwable {
        try {
            return method.invoke(target, args);
        } catch (InvocationTargetException e) {
            throw e.getCause();
        }
    }
}
