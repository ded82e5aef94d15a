package dev.interlock.transactions;

import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import javax.sql.DataSource;

/** Wraps a data source so that an observer is called before and after each method of its connections. */
final class ObservedSource {
    private ObservedSource() {}

    interface Observer {
        void on(String moment, Connection connection) throws Exception;
    }

    static DataSource over(DataSource target, Observer observer) {
        return (DataSource) Proxy.newProxyInstance(
                ObservedSource.class.getClassLoader(), new Class<?>[] {DataSource.class}, (proxy, method, args) -> {
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
                ObservedSource.class.getClassLoader(), new Class<?>[] {Connection.class}, (proxy, method, args) -> {
                    observer.on("before " + method.getName(), target);
                    Object result = invoke(target, method, args);
                    observer.on("after " + method.getName(), target);
                    return result;
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
