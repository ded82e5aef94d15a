package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.transactions.internal.Dialect;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/** The session locks of one kind of database. Stateless; only the caller uses the connection. */
interface SessionLocks {
    /** The supported modes. */
    Set<LockMode> modes();

    /** Whether a database of this dialect has these locks. */
    boolean supports(Dialect dialect);

    /** The requirement, for messages. */
    String needs();

    /**
     * Refuses a server on which these locks would not exclude each other.
     *
     * @throws dev.interlock.lock.LockRefusedException that names the setting
     */
    void inspect(Connection connection) throws SQLException;

    /** The database's name for the lock on a key. Two keys with the same name exclude each other. */
    String id(LockKey key);

    /** A name that is not in use, for checks. */
    String scratchId();

    /** The server's id of the session behind a connection. */
    long identity(Connection connection) throws SQLException;

    /** The same for a session that was started by {@link #begin}; 0 for any other session. */
    default long begunIdentity(Connection connection) throws SQLException {
        return identity(connection);
    }

    /** Whether the server still has the session with this id. */
    boolean hasSession(Connection connection, long identity) throws SQLException;

    /** Prepares a new session. */
    void begin(Connection connection) throws SQLException;

    /** Makes the server end the session after it has been idle for this long. */
    void endWhenIdleFor(Connection connection, Duration limit) throws SQLException;

    /** Creates the rows that numbers are drawn from, if that saves time later. */
    default void createRows(Connection connection) throws SQLException {}

    /**
     * Takes a lock that this session does not have, and draws a number for it. If it throws, the lock may have been
     * taken or not: see {@link #unlock}.
     */
    Taken take(Connection connection, String id, LockMode mode, long floor) throws SQLException;

    /** Draws a number for a lock that this session has, above the floor and above all earlier numbers of the lock. */
    long nextNumber(Connection connection, String id, long floor) throws SQLException;

    /** Takes a lock exclusively, to check the server. */
    boolean tryLock(Connection connection, String id) throws SQLException;

    /** Releases locks that were taken in this mode. Returns those that this session did not have. */
    Set<String> unlock(Connection connection, LockMode mode, Collection<String> ids) throws SQLException;

    /**
     * The result of a take.
     *
     * @param number of the grant; 0 if another session has the lock
     * @param identity of the session that has the lock now
     */
    record Taken(long number, long identity) {
        static final Taken BUSY = new Taken(0, 0);

        boolean isGranted() {
            return number != 0;
        }
    }
}
