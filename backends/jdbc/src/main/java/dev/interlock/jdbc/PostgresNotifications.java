package dev.interlock.jdbc;

import dev.interlock.jdbc.LockRow.HandOver;
import dev.interlock.jdbc.internal.PromptSockets;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreListener;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.List;
import java.util.Properties;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;
import org.postgresql.PGNotification;

/**
 * Notifies waiters of grants by NOTIFY, and listens for this process's notifications on a connection of its own.
 *
 * <p>A notification is part of the granting transaction, so no waiter is notified of a grant that was not committed. A
 * lost notification costs only time: waiters also poll.
 */
final class PostgresNotifications implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");
    private static final int LISTEN_MILLIS = 200;
    private static final long PAUSE_MILLIS = 500;
    private static final long VALIDATE_NANOS = TimeUnit.SECONDS.toNanos(2);
    private static final int VALID_SECONDS = 2;
    private static final int LOGIN_SECONDS = 5;

    /** Opens the connection that listens. */
    interface Source {
        Connection open() throws SQLException;
    }

    private final Source source;
    private final StoreListener listener;
    private final String channel =
            "interlock_" + UUID.randomUUID().toString().replace("-", "").substring(0, 16);
    private final Thread thread = new Thread(this::run, "interlock-jdbc-listen");
    private volatile boolean closed;

    PostgresNotifications(Source source, StoreListener listener) {
        this.source = source;
        this.listener = listener;
        thread.setDaemon(true);
    }

    /**
     * Opens a separate connection on which notifications arrive without delay. Falls back to the pool, for example if
     * the address names a socket factory itself or the driver cannot see our classes.
     */
    static Source promptly(String url, Properties properties, DataSource pool) {
        if (url.contains("socketFactory=")) {
            return pool::getConnection;
        }
        return () -> {
            try {
                Properties prompt = new Properties();
                prompt.putAll(properties);
                prompt.setProperty("socketFactory", PromptSockets.class.getName());
                prompt.setProperty("loginTimeout", String.valueOf(LOGIN_SECONDS));
                return DriverManager.getConnection(url, prompt);
            } catch (SQLException e) {
                LOG.log(
                        System.Logger.Level.DEBUG,
                        "No separate connection for notifications: {0}",
                        String.valueOf(e.getSQLState()));
                return pool.getConnection();
            }
        };
    }

    void start() {
        thread.start();
    }

    String channel() {
        return channel;
    }

    /** Notifies waiters of their grants when the transaction commits. */
    void send(Connection connection, List<HandOver> handOvers) throws SQLException {
        if (handOvers.isEmpty()) {
            return;
        }
        try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            for (HandOver handOver : handOvers) {
                if (!handOver.waiter().channel.isEmpty()) {
                    notify.setString(1, handOver.waiter().channel);
                    notify.setString(
                            2,
                            handOver.number() + "\t" + handOver.waiter().heartbeatWithin + "\t"
                                    + handOver.waiter().owner + "\t"
                                    + handOver.key().name());
                    notify.execute();
                }
            }
        }
    }

    private void run() {
        boolean wasConnected = false;
        while (!closed) {
            try (Connection connection = source.open()) {
                boolean autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(true);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LISTEN " + channel);
                    if (wasConnected) {
                        listener.reconnected();
                    }
                    wasConnected = true;
                    listen(connection);
                    statement.execute("UNLISTEN " + channel);
                }
                connection.setAutoCommit(autoCommit);
            } catch (SQLException | RuntimeException e) {
                if (!closed) {
                    LOG.log(
                            System.Logger.Level.DEBUG,
                            "Not listening for grants; waiters notice them later: {0}",
                            e.toString());
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                }
            }
        }
    }

    /** Validates the connection from time to time: a cut network reports nothing. */
    private void listen(Connection own) throws SQLException {
        PGConnection connection = own.unwrap(PGConnection.class);
        long validated = System.nanoTime();
        while (!closed) {
            PGNotification[] received = connection.getNotifications(LISTEN_MILLIS);
            for (PGNotification it : received == null ? new PGNotification[0] : received) {
                Granted granted = parse(it.getParameter());
                if (granted != null) {
                    listener.granted(granted);
                }
            }
            if (System.nanoTime() - validated > VALIDATE_NANOS) {
                if (!own.isValid(VALID_SECONDS)) {
                    throw new SQLException("The database does not answer");
                }
                validated = System.nanoTime();
            }
        }
    }

    /** Any client may send notifications; those that are not from Interlock are ignored. */
    private static @Nullable Granted parse(String text) {
        String[] parts = text.split("\t", 4);
        try {
            return new Granted(
                    new Grant(LockKey.of(parts[3]), OwnerId.parse(parts[2]), Long.parseLong(parts[0])),
                    Micros.duration(Long.parseLong(parts[1])));
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            return null;
        }
    }

    /** The thread returns its connection within 0.2 s. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
