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
 * Tells waiters by NOTIFY, and listens for what this process is told, over one connection that it keeps.
 *
 * <p>A notification is part of the transaction that grants, so nobody is told of a grant that was not made. One that is lost, because the
 * connection was, costs time only: waiters ask again.
 */
final class PostgresPushes implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");
    private static final int LISTEN_MILLIS = 200;
    private static final long PAUSE_MILLIS = 500;
    private static final long LOOK_NANOS = TimeUnit.SECONDS.toNanos(2);
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

    PostgresPushes(Source source, StoreListener listener) {
        this.source = source;
        this.listener = listener;
        thread.setDaemon(true);
    }

    /**
     * A connection of its own to this address, by which notifications arrive without delay; or one from a pool if that cannot be, for example
     * because the address names sockets itself, or the driver does not see our classes.
     */
    static Source promptly(String url, Properties properties, DataSource otherwise) {
        if (url.contains("socketFactory=")) {
            return otherwise::getConnection;
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
                        "No connection of its own to listen by: {0}",
                        String.valueOf(e.getSQLState()));
                return otherwise.getConnection();
            }
        };
    }

    void start() {
        thread.start();
    }

    String channel() {
        return channel;
    }

    /** Tells waiters, once the transaction is committed, what it has granted them. */
    void tell(Connection connection, List<HandOver> handOvers) throws SQLException {
        if (handOvers.isEmpty()) {
            return;
        }
        try (PreparedStatement notify = connection.prepareStatement("SELECT pg_notify(?, ?)")) {
            for (HandOver handOver : handOvers) {
                if (!handOver.waiter().listener.isEmpty()) {
                    notify.setString(1, handOver.waiter().listener);
                    notify.setString(
                            2,
                            handOver.number() + "\t" + handOver.waiter().heardWithin + "\t" + handOver.waiter().owner
                                    + "\t" + handOver.key().name());
                    notify.execute();
                }
            }
        }
    }

    private void run() {
        boolean before = false;
        while (!closed) {
            try (Connection connection = source.open()) {
                boolean autoCommit = connection.getAutoCommit();
                connection.setAutoCommit(true);
                try (Statement statement = connection.createStatement()) {
                    statement.execute("LISTEN " + channel);
                    if (before) {
                        listener.reconnected();
                    }
                    before = true;
                    listen(connection);
                    statement.execute("UNLISTEN " + channel);
                }
                connection.setAutoCommit(autoCommit);
            } catch (SQLException | RuntimeException e) {
                if (!closed) {
                    LOG.log(
                            System.Logger.Level.DEBUG,
                            "Not listening for granted locks, which are noticed later now: {0}",
                            e.toString());
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(PAUSE_MILLIS));
                }
            }
        }
    }

    /** Looks now and then whether the connection still works: a cut cable says nothing. */
    private void listen(Connection own) throws SQLException {
        PGConnection connection = own.unwrap(PGConnection.class);
        long looked = System.nanoTime();
        while (!closed) {
            PGNotification[] told = connection.getNotifications(LISTEN_MILLIS);
            for (PGNotification it : told == null ? new PGNotification[0] : told) {
                Granted granted = parse(it.getParameter());
                if (granted != null) {
                    listener.granted(granted);
                }
            }
            if (System.nanoTime() - looked > LOOK_NANOS) {
                if (!own.isValid(VALID_SECONDS)) {
                    throw new SQLException("The database keeps silent");
                }
                looked = System.nanoTime();
            }
        }
    }

    /** Anybody may notify: what is none of ours is not read. */
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

    /** The thread gives its connection back within 0.2 s. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(thread);
    }
}
