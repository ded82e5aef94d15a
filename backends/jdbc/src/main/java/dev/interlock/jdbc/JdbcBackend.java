package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
import dev.interlock.transactions.internal.Dialect;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.Set;
import java.util.regex.Pattern;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks in a table of PostgreSQL, MariaDB, MySQL or H2.
 *
 * <pre>{@code
 * Interlock interlock = Interlock.over(JdbcBackend.over(dataSource));
 * }</pre>
 *
 * <p>A free lock takes one statement to acquire and one to release. Each is a transaction by itself, never part of one
 * of the application's. The database's clock decides when a lease ends. Waiters queue in a table; PostgreSQL notifies
 * them, on the other databases they poll. Tokens come from committed rows, so they are as durable as the database's
 * commits: see {@link Builder#requireStrictTokens}.
 *
 * <p>When the database cannot be reached, calls fail as unavailable within the caller's patience, and held leases end
 * at their deadlines and their holders are notified. Each statement borrows a connection from the data source; on
 * PostgreSQL one more connection listens for notifications. With a pool of its own, the backend keeps some connections
 * warm in steady use, and callers' threads execute their statements themselves ({@link Builder#keepConnections}); while
 * the database does not answer, such a thread notices an interrupt after at most two seconds. Thread-safe.
 *
 * @since 0.1.0
 */
public final class JdbcBackend implements Backend {
    private final PostgresNotifications.Source listening;
    private final @Nullable HikariDataSource own;
    private final LockDatabase database;
    private final LeaseTable table;
    private final StoreCapabilities capabilities;

    private JdbcBackend(
            PostgresNotifications.Source listening,
            @Nullable HikariDataSource own,
            LockDatabase database,
            LeaseTable table,
            boolean strict) {
        this.listening = listening;
        this.own = own;
        this.database = database;
        this.table = table;
        this.capabilities = StoreCapabilities.builder()
                .tokens(strict ? StoreCapabilities.Tokens.STRICT : StoreCapabilities.Tokens.CLOCK_BOUNDED)
                .multiKey(StoreCapabilities.MultiKey.ATOMIC)
                .queue(StoreCapabilities.Queue.SERVER)
                .push(
                        database.dialect() == Dialect.POSTGRESQL
                                ? StoreCapabilities.Push.GRANTS
                                : StoreCapabilities.Push.NONE)
                .modes(Set.of(LockMode.values()))
                .lockDelay(true)
                .granularity(Duration.ofNanos(1_000))
                .introspection(true)
                .forcedRelease(true)
                .waitReports(true)
                .build();
    }

    /**
     * Connects to the database at a JDBC address with a small pool of its own and safe defaults. The tables must exist.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or the database is read-only; the message says
     *     which
     */
    public static JdbcBackend connect(String url) {
        return builder(url).build();
    }

    /** Options for the database at a JDBC address. The backend opens a small pool and closes it with itself. */
    public static Builder builder(String url) {
        Objects.requireNonNull(url, "url is null: pass a JDBC address, for example jdbc:postgresql://localhost/shop");
        if (!url.startsWith("jdbc:")) {
            // The message does not repeat it: it may contain a password.
            throw new IllegalArgumentException("The url is not a JDBC address: it must begin with \"jdbc:\"");
        }
        return new Builder(null, url);
    }

    /**
     * Uses the database of a data source with safe defaults. The tables must exist.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or the database is read-only; the message says
     *     which
     */
    public static JdbcBackend over(DataSource source) {
        return builder(source).build();
    }

    /** Options for the database of a data source. The data source is not closed. */
    public static Builder builder(DataSource source) {
        return new Builder(Objects.requireNonNull(source, "source is null: pass the data source of the database"), "");
    }

    @Override
    public String name() {
        return database.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return capabilities;
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        if (database.dialect() != Dialect.POSTGRESQL) {
            return new JdbcLockStore(database, table, context, null);
        }
        PostgresNotifications notifications = new PostgresNotifications(listening, context.listener());
        notifications.start();
        return new JdbcLockStore(database, table, context, notifications);
    }

    /**
     * Deletes the rows of locks that have not been used for this long, and returns their number. Tokens keep growing:
     * the namespace stores the highest deleted number. A purge also runs after many new names; call this only to choose
     * the time.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     */
    public int purge(Duration unusedFor) {
        Objects.requireNonNull(unusedFor, "unusedFor is null: pass how long a lock must have been unused");
        if (unusedFor.isNegative()) {
            throw new IllegalArgumentException("unusedFor is " + unusedFor + ": it must not be negative");
        }
        try {
            return database.transaction(connection -> table.purge(connection, Micros.of(unusedFor)));
        } catch (StoreException e) {
            throw new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Closes the backend's own pool. A data source is not closed. */
    @Override
    public void close() {
        database.close();
        if (own != null) {
            own.close();
        }
    }

    @Override
    public String toString() {
        return "JdbcBackend(" + name() + ")";
    }

    /** Options. Each has a safe default. */
    public static final class Builder {
        private static final int OWN_CONNECTIONS = 10;
        private static final int DEFAULT_WARM = 8;
        private static final int MAX_WARM = 64;
        private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

        private final @Nullable DataSource source;
        private final String url;
        private @Nullable String user;
        private @Nullable String password;
        private String namespace = "";
        private Duration silenceLimit = Duration.ofSeconds(5);
        private int maxWarm;
        private boolean createSchema;
        private boolean requireStrict;

        private Builder(@Nullable DataSource source, String url) {
            this.source = source;
            this.url = url;
            this.maxWarm = source == null ? DEFAULT_WARM : 0;
        }

        /** User and password, if the address does not contain them. Only for a backend with a pool of its own. */
        public Builder credentials(String userName, String secret) {
            if (source != null) {
                throw new IllegalArgumentException("Credentials belong to the data source: set them there");
            }
            this.user = Objects.requireNonNull(userName, "user is null");
            this.password = Objects.requireNonNull(secret, "password is null");
            return this;
        }

        /** Separates these locks from those of other namespaces in the same tables. None by default. */
        public Builder namespace(String name) {
            Objects.requireNonNull(name, "namespace is null: leave it out to have none");
            if (!name.isEmpty() && !NAMESPACE.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "Namespace \"" + name + "\": choose 1 to 64 of letters, digits, dot, dash and underscore");
            }
            this.namespace = name;
            return this;
        }

        /**
         * A database that does not answer for this long counts as lost, and its connection is closed. 5 seconds by
         * default.
         */
        public Builder silenceLimit(Duration limit) {
            Objects.requireNonNull(limit, "silenceLimit is null: leave it out for 5 seconds");
            if (limit.toMillis() < 100 || limit.toMillis() > 60_000) {
                throw new IllegalArgumentException("silenceLimit is " + limit + ": choose 0.1 to 60 seconds");
            }
            this.silenceLimit = limit;
            return this;
        }

        /**
         * Maximum number of warm connections while locks are in steady use. With a warm connection, the caller's own
         * thread executes its statement, which saves two thread switches; without one, a thread of the engine does. 8
         * by default with a pool of its own; 0 with a data source, whose pool may have none to spare. A connection that
         * is idle for half a second returns to its pool. Always 0 on H2.
         */
        public Builder keepConnections(int max) {
            if (max < 0 || max > MAX_WARM) {
                throw new IllegalArgumentException(max + " warm connections: choose 0 to " + MAX_WARM);
            }
            this.maxWarm = max;
            return this;
        }

        /**
         * Creates the tables, whose names begin with {@code interlock_}, if they do not exist. Off by default: most
         * projects create tables by migrations, and {@code schema.sql} in the jar is the text for one.
         */
        public Builder createSchemaIfMissing() {
            this.createSchema = true;
            return this;
        }

        /**
         * Refuses a database that may lose committed data in a crash, for example PostgreSQL with
         * {@code synchronous_commit = off}. Without this option, tokens on such a database grow unless it crashes while
         * its clock steps back, and a warning names the setting.
         */
        public Builder requireStrictTokens() {
            this.requireStrict = true;
            return this;
        }

        /**
         * Checks the database and creates the backend.
         *
         * @throws StoreUnavailableException if the database cannot be reached
         * @throws LockRefusedException if a table or a right is missing, the database is read-only, or tokens are not
         *     strict enough
         */
        public JdbcBackend build() {
            if (source != null) {
                return build(source, null, source::getConnection);
            }
            HikariDataSource own = pool();
            Properties login = new Properties();
            if (user != null && password != null) {
                login.setProperty("user", user);
                login.setProperty("password", password);
            }
            try {
                return build(own, own, PostgresNotifications.promptly(url, login, own));
            } catch (RuntimeException e) {
                own.close();
                throw e;
            }
        }

        private JdbcBackend build(
                DataSource from, @Nullable HikariDataSource own, PostgresNotifications.Source listening) {
            StartUp startUp = new StartUp(from, namespace, silenceLimit, maxWarm);
            if (createSchema) {
                startUp.createSchema();
            }
            startUp.probe();
            boolean strict = startUp.isDurable(requireStrict);
            return new JdbcBackend(listening, own, startUp.database(), startUp.table(), strict);
        }

        /**
         * Opens no connection yet, so that an unreachable database is reported with the same message as for a data
         * source.
         */
        private HikariDataSource pool() {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(user);
            config.setPassword(password);
            config.setPoolName("interlock");
            config.setMaximumPoolSize(OWN_CONNECTIONS + maxWarm);
            config.setMinimumIdle(1);
            config.setConnectionTimeout(Math.max(250, silenceLimit.toMillis()));
            config.setInitializationFailTimeout(-1);
            try {
                return new HikariDataSource(config);
            } catch (RuntimeException e) {
                throw new LockRefusedException("No driver for the JDBC address: " + e.getMessage());
            }
        }
    }
}
