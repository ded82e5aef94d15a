package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.Collection;
import java.util.Set;

/** The session locks of one kind of database, in its words. Stateless; the connection is used by its caller alone. */
interface SessionLocks {
    /** The modes that it knows. */
    Set<LockMode> modes();

    /** Whether these are its locks. */
    boolean speaks(Dialect dialect);

    /** What it asks for, for messages. */
    String needs();

    /**
     * Refuses a server on which these locks do not keep their promise.
     *
     * @throws dev.interlock.lock.LockRefusedException with the setting that is to blame
     */
    void inspect(Connection connection) throws SQLException;

    /** By which name the database knows the lock on a key. Two keys with one name exclude each other. */
    String id(LockKey key);

    /** A name that nobody has ever used, to try things with. */
    String scratchId();

    /** The server's name for the session behind a connection. */
    long identity(Connection connection) throws SQLException;

    /** The same for a session that was begun by {@link #begin}, and 0 for any other one. */
    default long begunIdentity(Connection connection) throws SQLException {
        return identity(connection);
    }

    /** Whether the server still has the session with this name. */
    boolean hasSession(Connection connection, long identity) throws SQLException;

    /** Prepares a new session for its work. */
    void begin(Connection connection) throws SQLException;

    /** Lets the server end the session when it has not heard of it for so long. */
    void endWhenSilentFor(Connection connection, Duration limit) throws SQLException;

    /** Makes the rows that numbers are drawn from, as far as that saves time later. */
    default void foundRows(Connection connection) throws SQLException {}

    /** Takes a lock that this session does not have, and draws a number for it. Throws with or without the lock: see {@link #unlock}. */
    Drawn take(Connection connection, String id, LockMode mode, long floor) throws SQLException;

    /** Draws a number for a lock that this session has: larger than the floor and than all numbers drawn for it before. */
    long draw(Connection connection, String id, long floor) throws SQLException;

    /** Takes a lock exclusively, for a test of the server. */
    boolean tryLock(Connection connection, String id) throws SQLException;

    /** Gives locks back that were taken in this mode; answers which of them this session did not have. */
    Set<String> unlock(Connection connection, LockMode mode, Collection<String> ids) throws SQLException;

    /**
     * What a take came to.
     *
     * @param number of the grant; 0 if somebody else has the lock
     * @param identity of the session that has it now
     */
    record Drawn(long number, long identity) {
        static final Drawn BUSY = new Drawn(0, 0);

        boolean isHad() {
            return number != 0;
        }
    }
}
