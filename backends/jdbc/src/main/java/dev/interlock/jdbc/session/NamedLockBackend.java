package dev.interlock.jdbc.session;

import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import java.util.Properties;
import javax.sql.DataSource;

/**
 * The named locks of MySQL and MariaDB ({@code GET_LOCK}).
 *
 * <pre>{@code
 * Interlock interlock = Interlock.over(NamedLockBackend.connect("jdbc:mariadb://db/shop?user=app"));
 * }</pre>
 *
 * <p>The only mode is exclusive. The server knows a lock by a hash that includes the schema, so schemas on one server
 * stay separate. Locks belong to one server: a Galera cluster is refused, and a failover ends all locks.
 * {@link SessionLockBackend} describes when locks end and how waiters wait.
 *
 * @since 0.1.0
 */
public final class NamedLockBackend extends SessionLockBackend {
    private NamedLockBackend(SessionBackend backend) {
        super(backend);
    }

    /**
     * Connects to the server at this JDBC URL with safe defaults. The tables must exist.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or sessions are pooled on the way; the message
     *     says which
     */
    public static NamedLockBackend connect(String url) {
        return builder(url).build();
    }

    /** Options for the server at this JDBC URL, which names the schema and may contain user and password. */
    public static Builder builder(String url) {
        return builder(url, new Properties());
    }

    /** Options for the server at this JDBC URL, with further driver properties. The URL overrides the properties. */
    public static Builder builder(String url, Properties properties) {
        return new Builder(url, properties);
    }

    /**
     * Options for the server of a data source that opens a new connection each time, such as {@code MariaDbDataSource}.
     * {@link Builder#build()} refuses a data source with a pool. The data source is not closed.
     */
    public static Builder builder(DataSource source) {
        return new Builder(source);
    }

    /** Options of named locks. Each has a safe default. Not thread-safe. */
    public static final class Builder extends SessionLockBackend.Builder<Builder> {
        private NamedLock.Galera galera = NamedLock::isGalera;

        private Builder(DataSource source) {
            super(source);
        }

        private Builder(String url, Properties properties) {
            super(url, properties);
        }

        /** For tests without a cluster. */
        Builder galera(NamedLock.Galera other) {
            this.galera = other;
            return this;
        }

        /**
         * Checks the server with short-lived connections and creates the backend. Its session begins with the first
         * lock.
         *
         * @throws StoreUnavailableException if the server cannot be reached
         * @throws LockRefusedException if it is neither MySQL nor MariaDB, is read-only, belongs to a Galera cluster or
         *     allows a session only one lock, if a table or a right is missing, if sessions are pooled on the way, or
         *     if tokens are not strict enough
         */
        public NamedLockBackend build() {
            return new NamedLockBackend(start(new NamedLock(options.namespace(), galera)));
        }

        @Override
        Builder self() {
            return this;
        }

        @Override
        Properties connectLimits(String address) {
            Properties limits = new Properties();
            limits.setProperty(
                    "connectTimeout", Long.toString(options.silenceLimit().toMillis()));
            return limits;
        }
    }
}
