package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.AdvisoryHash;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's advisory locks, carried by one session per backend.
 *
 * <pre>{@code
 * Interlock interlock = Interlock.over(AdvisoryLockBackend.connect("jdbc:postgresql://db/shop?user=app"));
 * }</pre>
 *
 * <p>All locks of this object are held by one connection of its own, never one of the application's pool, and end when its session ends:
 * when the process dies, when the server restarts, when an operator ends the session. Then every lease is lost at once, and the holders are
 * told within a probe interval ({@link Builder#probeEvery}) if the server or the network says that the connection is gone, and within that
 * and {@link Builder#silence} if nobody says anything. Until they are told, somebody else may have the lock already: that is what the
 * fencing token is for.
 *
 * <p>Waiters ask again, from every 50 ms to every second; there is no queue between processes and no order among them. Modes: exclusive
 * and shared. Names are known to PostgreSQL by a hash of 64 bits; in the rare case that two names have the same, they exclude each other.
 *
 * <p>When the database cannot be reached, calls fail as unavailable within the caller's patience. An interrupt ends the caller's wait and
 * never the session. Thread-safe.
 */
public final class AdvisoryLockBackend implements Backend {
    private final SessionBackend backend;

    private AdvisoryLockBackend(SessionBackend backend) {
        this.backend = backend;
    }

    /**
     * Locks in the database with this JDBC URL, with safe defaults; the tables must be there.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or sessions are pooled on the way; the message says which
     */
    public static AdvisoryLockBackend connect(String url) {
        return builder(url).build();
    }

    /** Options for the database with this JDBC URL; user and password may be part of it. */
    public static Builder builder(String url) {
        return builder(url, new Properties());
    }

    /** Options for the database with this JDBC URL, with further properties for the driver. What the URL says counts first. */
    public static Builder builder(String url, Properties properties) {
        Objects.requireNonNull(url, "url is null: give the JDBC URL of the database");
        Objects.requireNonNull(properties, "properties is null: leave it out if there are none");
        Properties copy = new Properties();
        copy.putAll(properties);
        return new Builder(null, url, copy);
    }

    /**
     * Options for the database of a data source that opens a new connection each time, such as {@code PGSimpleDataSource}. One that pools
     * is refused by {@link Builder#build()}. The data source is not closed.
     */
    public static Builder builder(DataSource source) {
        Objects.requireNonNull(source, "source is null: give a data source that opens new connections");
        return new Builder(Connector.of(source), "", new Properties());
    }

    @Override
    public String name() {
        return backend.name();
    }

    @Override
    public StoreCapabilities capabilities() {
        return backend.capabilities();
    }

    @Override
    public LockStore openLocks(StoreContext context) {
        return backend.openLocks(context);
    }

    /** Ends the session, and with it every lock that is left. A second call does nothing. */
    @Override
    public void close() {
        backend.close();
    }

    @Override
    public String toString() {
        return "AdvisoryLockBackend(" + name() + ")";
    }

    /** Options; every one of them has a safe default. Not thread-safe. */
    public static final class Builder {
        private final SessionOptions options = new SessionOptions();
        private final @Nullable Connector connector;
        private final String url;
        private final Properties properties;
        private @Nullable ToLongFunction<LockKey> hash;

        private Builder(@Nullable Connector connector, String url, Properties properties) {
            this.connector = connector;
            this.url = url;
            this.properties = properties;
        }

        /** Keeps these locks apart from those of other namespaces in the same database. None by default. */
        public Builder namespace(String name) {
            options.namespace(name);
            return this;
        }

        /** After such a time without a statement the session is asked for a sign of life. 1 second by default. */
        public Builder probeEvery(Duration interval) {
            options.probeEvery(interval);
            return this;
        }

        /** A database that does not answer for so long counts as gone, and the session with it. 5 seconds by default. */
        public Builder silence(Duration limit) {
            options.silence(limit);
            return this;
        }

        /**
         * Creates the two tables, whose names begin with {@code interlock_session_}, if they are not there. Off by default: in most
         * places tables are made by migrations, and {@code session/postgresql/schema.sql} in the jar is what such a migration needs.
         */
        public Builder createSchemaIfMissing() {
            options.createSchema();
            return this;
        }

        /**
         * Refuses a database that may forget what it has committed, for example with {@code synchronous_commit = off}. Without this,
         * tokens on such a database grow unless it crashes while its clock steps back, and a warning says which setting is to blame.
         */
        public Builder requireStrictTokens() {
            options.requireStrict();
            return this;
        }

        /** For a test that needs two names to meet. */
        Builder hash(ToLongFunction<LockKey> other) {
            this.hash = other;
            return this;
        }

        /**
         * Looks at the database, with short-lived connections, and makes the backend. Its session begins with the first lock.
         *
         * @throws StoreUnavailableException if the database cannot be reached
         * @throws LockRefusedException if it is not PostgreSQL or is read-only, if a table or a right is missing, if sessions are pooled on
         *     the way, or if tokens are not strict enough
         */
        public AdvisoryLockBackend build() {
            String namespace = options.namespace();
            ToLongFunction<LockKey> chosen = hash != null ? hash : key -> AdvisoryHash.of(namespace, key);
            return new AdvisoryLockBackend(SessionBackend.start(connector(), new AdvisoryLock(chosen), options));
        }

        private Connector connector() {
            if (connector != null) {
                return connector;
            }
            Properties all = new Properties();
            // To the drivers of other databases, which are refused once they have said what they are, these would be
            // milliseconds.
            if (url.contains("postgresql")) {
                String seconds = Long.toString(Math.max(1, options.silence().toSeconds()));
                all.setProperty("connectTimeout", seconds);
                all.setProperty("loginTimeout", seconds);
                all.setProperty("tcpKeepAlive", "true");
            }
            all.putAll(properties);
            return Connector.of(url, all);
        }
    }
}
