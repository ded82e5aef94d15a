package dev.interlock.jdbc.session;

import dev.interlock.spi.Backend;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.time.Duration;
import java.util.Objects;
import java.util.Properties;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * Locks that belong to a database session, one session per backend.
 *
 * <p>All locks of this object are held by one connection of its own, never one of the application's pool. They end with
 * its session: when the process dies, the server restarts, or an operator ends the session. Then every lease is lost at
 * once. The holders are notified within {@link Builder#probeEvery} if the server or the network reports the end of the
 * connection, and within that time plus {@link Builder#silenceLimit} otherwise. Until then another process may already
 * have the lock; fencing tokens protect the data in this window.
 *
 * <p>Waiters poll, from every 50 ms to every second. Processes have no common queue, so waiters are not served in
 * order.
 *
 * <p>When the database cannot be reached, calls fail as unavailable within the caller's patience. An interrupt ends the
 * caller's wait but never the session. Thread-safe.
 *
 * @since 0.1.0
 */
public abstract sealed class SessionLockBackend implements Backend permits AdvisoryLockBackend, NamedLockBackend {
    private final SessionBackend backend;

    SessionLockBackend(SessionBackend backend) {
        this.backend = backend;
    }

    @Override
    public final String name() {
        return backend.name();
    }

    @Override
    public final StoreCapabilities capabilities() {
        return backend.capabilities();
    }

    @Override
    public final LockStore openLocks(StoreContext context) {
        return backend.openLocks(context);
    }

    /** Ends the session and with it every remaining lock. A second call does nothing. */
    @Override
    public final void close() {
        backend.close();
    }

    @Override
    public final String toString() {
        return getClass().getSimpleName() + "(" + name() + ")";
    }

    /**
     * Options of session locks. Each has a safe default. Not thread-safe.
     *
     * @param <B> the builder itself
     */
    public abstract static sealed class Builder<B extends Builder<B>>
            permits AdvisoryLockBackend.Builder, NamedLockBackend.Builder {
        final SessionOptions options = new SessionOptions();
        private final @Nullable DataSource source;
        private final String url;
        private final Properties properties;

        Builder(DataSource source) {
            this.source =
                    Objects.requireNonNull(source, "source is null: pass a data source that opens new connections");
            this.url = "";
            this.properties = new Properties();
        }

        Builder(String url, Properties properties) {
            this.source = null;
            this.url = Objects.requireNonNull(url, "url is null: pass the JDBC URL of the database");
            this.properties = new Properties();
            this.properties.putAll(
                    Objects.requireNonNull(properties, "properties is null: leave it out if there are none"));
        }

        /** Separates these locks from those of other namespaces in the same database. None by default. */
        public final B namespace(String name) {
            options.namespace(name);
            return self();
        }

        /** Time without a statement after which the session is probed. 1 second by default. */
        public final B probeEvery(Duration interval) {
            options.probeEvery(interval);
            return self();
        }

        /**
         * A database that does not answer for this long counts as lost, and the session with it. 5 seconds by default.
         */
        public final B silenceLimit(Duration limit) {
            options.silenceLimit(limit);
            return self();
        }

        /**
         * Creates the two tables, whose names begin with {@code interlock_session_}, if they do not exist. Off by
         * default: most projects create tables by migrations, and {@code schema.sql} in the jar ({@code
         * session/postgresql} or {@code session/mysql}) is the text for one.
         */
        public final B createSchemaIfMissing() {
            options.createSchema();
            return self();
        }

        /**
         * Refuses a database that may lose committed data in a crash, for example with {@code synchronous_commit = off}
         * or {@code innodb_flush_log_at_trx_commit = 2}. Without this option, tokens on such a database grow unless it
         * crashes while its clock steps back, and a warning names the setting.
         */
        public final B requireStrictTokens() {
            options.requireStrict();
            return self();
        }

        abstract B self();

        /** Driver properties that limit how long a connection attempt takes. Properties of the user override them. */
        abstract Properties connectLimits(String address);

        final SessionBackend start(SessionLocks locks) {
            return SessionBackend.start(connector(), locks, options);
        }

        private SessionConnector connector() {
            if (source != null) {
                return SessionConnector.of(source);
            }
            Properties all = connectLimits(url);
            all.putAll(properties);
            return SessionConnector.of(url, all);
        }
    }
}
