package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.transactions.internal.AdvisoryHash;
import java.util.Properties;
import java.util.function.ToLongFunction;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/**
 * PostgreSQL's advisory locks.
 *
 * <pre>{@code
 * Interlock interlock = Interlock.over(AdvisoryLockBackend.connect("jdbc:postgresql://db/shop?user=app"));
 * }</pre>
 *
 * <p>Modes: exclusive and shared. PostgreSQL knows a lock by a 64-bit hash of its name; in the rare case of two names
 * with the same hash, they exclude each other. {@link SessionLockBackend} describes when locks end and how waiters
 * wait.
 *
 * @since 0.1.0
 */
public final class AdvisoryLockBackend extends SessionLockBackend {
    private AdvisoryLockBackend(SessionBackend backend) {
        super(backend);
    }

    /**
     * Connects to the database at this JDBC URL with safe defaults. The tables must exist.
     *
     * @throws StoreUnavailableException if the database cannot be reached
     * @throws LockRefusedException if a table or a right is missing, or sessions are pooled on the way; the message
     *     says which
     */
    public static AdvisoryLockBackend connect(String url) {
        return builder(url).build();
    }

    /** Options for the database at this JDBC URL, which may contain user and password. */
    public static Builder builder(String url) {
        return builder(url, new Properties());
    }

    /** Options for the database at this JDBC URL, with further driver properties. The URL overrides the properties. */
    public static Builder builder(String url, Properties properties) {
        return new Builder(url, properties);
    }

    /**
     * Options for the database of a data source that opens a new connection each time, such as
     * {@code PGSimpleDataSource}. {@link Builder#build()} refuses a data source with a pool. The data source is not
     * closed.
     */
    public static Builder builder(DataSource source) {
        return new Builder(source);
    }

    /** Options of advisory locks. Each has a safe default. Not thread-safe. */
    public static final class Builder extends SessionLockBackend.Builder<Builder> {
        private @Nullable ToLongFunction<LockKey> hash;

        private Builder(DataSource source) {
            super(source);
        }

        private Builder(String url, Properties properties) {
            super(url, properties);
        }

        /** For tests that need two names with the same hash. */
        Builder hash(ToLongFunction<LockKey> other) {
            this.hash = other;
            return this;
        }

        /**
         * Checks the database with short-lived connections and creates the backend. Its session begins with the first
         * lock.
         *
         * @throws StoreUnavailableException if the database cannot be reached
         * @throws LockRefusedException if it is not PostgreSQL or is read-only, if a table or a right is missing, if
         *     sessions are pooled on the way, or if tokens are not strict enough
         */
        public AdvisoryLockBackend build() {
            String namespace = options.namespace();
            ToLongFunction<LockKey> chosen = hash != null ? hash : key -> AdvisoryHash.of(namespace, key);
            return new AdvisoryLockBackend(start(new AdvisoryLock(chosen)));
        }

        @Override
        Builder self() {
            return this;
        }

        /** Other drivers, whose databases are refused later by name, would read these seconds as milliseconds. */
        @Override
        Properties connectLimits(String address) {
            Properties limits = new Properties();
            if (address.contains("postgresql")) {
                String seconds =
                        Long.toString(Math.max(1, options.silenceLimit().toSeconds()));
                limits.setProperty("connectTimeout", seconds);
                limits.setProperty("loginTimeout", seconds);
                limits.setProperty("tcpKeepAlive", "true");
            }
            return limits;
        }
    }
}
