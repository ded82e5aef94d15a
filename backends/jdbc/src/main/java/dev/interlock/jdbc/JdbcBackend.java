package dev.interlock.jdbc;

import com.zaxxer.hikari.HikariConfig;
import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreException;
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
 * <p>A free lock is one statement to take and one to release, each a transaction by itself, never part of one of the application's. The
 * database's clock decides when a lease ends. Waiters queue in the table; PostgreSQL tells them by NOTIFY, on the others they ask again.
 * Tokens come from committed rows, so they are as durable as the database's commits: see {@link Builder#requireStrictTokens}.
 *
 * <p>When the database cannot be reached, calls fail as unavailable within the caller's patience, and held leases end at their deadlines
 * with a signal to their holders. Connections come from the data source, one at a time for as long as a statement takes; on PostgreSQL
 * one more is kept to listen. With a pool of its own, some stay at hand in steady use and callers' threads make their statements themselves
 * ({@link Builder#keepConnections}); while the database keeps silent, an interrupt of such a thread is heard after at most two seconds.
 * Thread-safe.
 */
public final class JdbcBackend implements Backend {
    private final PostgresPushes.Source listening;
    private final @Nullable HikariDataSource own;
    private final Database database;
    private final LeaseTable table;
    private final StoreCapabilities capabilities;

    private JdbcBackend(
            PostgresPushes.Source listening,
            @Nullable HikariDataSource own,
            Database database,
            LeaseTable table,
            boolean strict) {
        this.listening = listening;
        this.own = own;
        this.database = database;
        this.table = table;
        this.capabilities = new StoreCapabilities(
                strict ? StoreCapabilities.Tokens.STRICT : StoreCapabilities.Tokens.CLOCK_BOUNDED,
                StoreCapabilities.Ownership.PER_GRANT,
                StoreCapabilities.MultiKey.ONE_TRIP,
                StoreCapabilities.Queue.SERVER,
                database.dialect() == Dialect.POSTGRESQL ? StoreCapabilities.Push.GRANTS : StoreCapabilities.Push.NONE,
                Set.of(LockMode.values()),
                true,
                Duration.ofNanos(1_000),
                true,
                true,
                true);
    }

    /**
     * Locks in the database at a JDBC address, over a small pool of its own, with safe defaults; the tables must be there.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or the database is read-only; the message says which
     */
    public static JdbcBackend connect(String url) {
        return builder(url).build();
    }

    /** Options for the database at a JDBC address, which is reached over a small pool that is closed with the backend. */
    public static Builder builder(String url) {
        Objects.requireNonNull(url, "url is null: give a JDBC address, for example jdbc:postgresql://localhost/shop");
        if (!url.startsWith("jdbc:")) {
            // Not repeated: it may hold a password.
            throw new IllegalArgumentException("The url is no JDBC address: it must begin with \"jdbc:\"");
        }
        return new Builder(null, url);
    }

    /**
     * Locks in the database that a data source reaches, with safe defaults; the tables must be there.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or the database is read-only; the message says which
     */
    public static JdbcBackend over(DataSource source) {
        return builder(source).build();
    }

    /** Options for the database that a data source reaches. The data source is not closed. */
    public static Builder builder(DataSource source) {
        return new Builder(Objects.requireNonNull(source, "source is null: give the data source of the database"), "");
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
        PostgresPushes pushes = new PostgresPushes(listening, context.listener());
        pushes.start();
        return new JdbcLockStore(database, table, context, pushes);
    }

    /**
     * Deletes the rows of locks that nobody has used for so long, and answers how many there were. Tokens keep growing: the namespace
     * remembers how far the deleted ones went. Needed by nobody, since it is also done whenever many new names have come; for those who
     * want to choose the hour.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     */
    public int purge(Duration unusedFor) {
        Objects.requireNonNull(unusedFor, "unusedFor is null: say for how long a lock must not have been used");
        if (unusedFor.isNegative()) {
            throw new IllegalArgumentException("unusedFor is " + unusedFor + ": it must not be negative");
        }
        try {
            return database.transaction(connection -> table.purge(connection, Micros.of(unusedFor)));
        } catch (StoreException e) {
            throw new StoreUnavailableException(String.valueOf(e.getMessage()), e);
        }
    }

    /** Closes the pool if it is the backend's own; a data source belongs to whoever made it. */
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

    /** Options; every one of them has a safe default. */
    public static final class Builder {
        private static final int OWN_CONNECTIONS = 10;
        private static final int OWN_KEPT = 8;
        private static final int MOST_KEPT = 64;
        private static final Pattern NAMESPACE = Pattern.compile("[A-Za-z0-9._-]{1,64}");

        private final @Nullable DataSource source;
        private final String url;
        private @Nullable String user;
        private @Nullable String password;
        private String namespace = "";
        private Duration silence = Duration.ofSeconds(5);
        private int kept;
        private boolean createSchema;
        private boolean requireStrict;

        private Builder(@Nullable DataSource source, String url) {
            this.source = source;
            this.url = url;
            this.kept = source == null ? OWN_KEPT : 0;
        }

        /** Whom to log in as, if the address does not say; only for a backend with a pool of its own. */
        public Builder credentials(String userName, String secret) {
            if (source != null) {
                throw new IllegalArgumentException("Credentials belong to the data source: set them there");
            }
            this.user = Objects.requireNonNull(userName, "user is null");
            this.password = Objects.requireNonNull(secret, "password is null");
            return this;
        }

        /** Keeps these locks apart from those of other namespaces in the same tables. None by default. */
        public Builder namespace(String name) {
            Objects.requireNonNull(name, "namespace is null: leave it out to have none");
            if (!name.isEmpty() && !NAMESPACE.matcher(name).matches()) {
                throw new IllegalArgumentException(
                        "Namespace \"" + name + "\": choose 1 to 64 of letters, digits, dot, dash and underscore");
            }
            this.namespace = name;
            return this;
        }

        /** A database that does not answer for so long counts as gone, and its connection is given up. 5 seconds by default. */
        public Builder silence(Duration limit) {
            Objects.requireNonNull(limit, "silence is null: leave it out for 5 seconds");
            if (limit.toMillis() < 100 || limit.toMillis() > 60_000) {
                throw new IllegalArgumentException("silence is " + limit + ": choose 0.1 to 60 seconds");
            }
            this.silence = limit;
            return this;
        }

        /**
         * How many connections stay at hand while locks are in steady use. With one of them the caller's own thread makes its statement, which
         * saves two wake-ups; without, a thread of the engine's does. 8 by default with a pool of its own; none with a data source, since its
         * pool must have them to spare. One that lies idle for half a second is given back. None on H2.
         */
        public Builder keepConnections(int most) {
            if (most < 0 || most > MOST_KEPT) {
                throw new IllegalArgumentException(most + " connections at hand: choose 0 to " + MOST_KEPT);
            }
            this.kept = most;
            return this;
        }

        /**
         * Creates the tables, whose names begin with {@code interlock_}, if they are not there. Off by default: in most places
         * tables are made by migrations, and {@code schema.sql} in the jar is what such a migration needs.
         */
        public Builder createSchemaIfMissing() {
            this.createSchema = true;
            return this;
        }

        /**
         * Refuses a database that may forget what it has committed, for example PostgreSQL with {@code synchronous_commit = off}. Without
         * this, tokens on such a database grow unless it crashes while its clock steps back, and a warning says which setting is to blame.
         */
        public Builder requireStrictTokens() {
            this.requireStrict = true;
            return this;
        }

        /**
         * Looks at the database and makes the backend.
         *
         * @throws StoreUnavailableException if the database cannot be reached
         * @throws LockRefusedException if a table or a right is missing, the database is read-only, or tokens are not strict enough
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
                return build(own, own, PostgresPushes.promptly(url, login, own));
            } catch (RuntimeException e) {
                own.close();
                throw e;
            }
        }

        private JdbcBackend build(DataSource from, @Nullable HikariDataSource own, PostgresPushes.Source listening) {
            StartUp startUp = new StartUp(from, namespace, silence, kept);
            if (createSchema) {
                startUp.createSchema();
            }
            startUp.probe();
            boolean strict = startUp.isDurable(requireStrict);
            return new JdbcBackend(listening, own, startUp.database(), startUp.table(), strict);
        }

        /** Made without a connection, so that a database that is away is told by the same words as with a data source. */
        private HikariDataSource pool() {
            HikariConfig config = new HikariConfig();
            config.setJdbcUrl(url);
            config.setUsername(user);
            config.setPassword(password);
            config.setPoolName("interlock");
            config.setMaximumPoolSize(OWN_CONNECTIONS + kept);
            config.setMinimumIdle(1);
            config.setConnectionTimeout(Math.max(250, silence.toMillis()));
            config.setInitializationFailTimeout(-1);
            try {
                return new HikariDataSource(config);
            } catch (RuntimeException e) {
                throw new LockRefusedException("No driver for the JDBC address: " + e.getMessage());
            }
        }
    }
}
