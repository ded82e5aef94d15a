package dev.interlock.jdbc.session;

import dev.interlock.lock.LossReason;
import dev.interlock.spi.Grant;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
import dev.interlock.transactions.internal.Dialect;
import dev.interlock.transactions.internal.SqlFailures;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;

/**
 * The session of a backend, used by one thread at a time, first come first served. Begins a session when there is none,
 * probes it when the database has not answered for an interval, and reports its end to all listeners.
 *
 * <p>Invariants: at most one session has not ended, and every caller gets that one; all grants of a session are lost
 * when it is replaced. Thread-safe.
 */
final class SharedSession implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** Work on the session, which no other thread uses in the meantime. */
    interface Work<T> {
        T on(Session session) throws SQLException;
    }

    private final SessionConnector connector;
    private final SessionLocks locks;
    private final String name;
    private final Dialect dialect;
    private final int silenceMillis;
    private final long probeNanos;
    private final Duration minIdleLimit;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();
    private final Thread keeper = new Thread(this::keep, "interlock-session-keeper");
    private volatile boolean closed;

    /** Written by the thread that has the turn. */
    private volatile @Nullable Session session;

    // Guarded by turn.
    private Set<Grant> lost = Set.of();
    private boolean keeping;

    SharedSession(
            SessionConnector connector,
            SessionLocks locks,
            String name,
            Dialect dialect,
            Duration silenceLimit,
            Duration probeEvery,
            Duration minIdleLimit) {
        this.connector = connector;
        this.locks = locks;
        this.name = name;
        this.dialect = dialect;
        this.silenceMillis = Math.toIntExact(silenceLimit.toMillis());
        this.probeNanos = probeEvery.toNanos();
        this.minIdleLimit = minIdleLimit;
        keeper.setDaemon(true);
    }

    String name() {
        return name;
    }

    Dialect dialect() {
        return dialect;
    }

    void addListener(StoreListener listener) {
        listeners.add(listener);
    }

    void removeListener(StoreListener listener) {
        listeners.remove(listener);
    }

    /** Runs work on the session; begins one if there is none. */
    <T> T use(Work<T> work) {
        turn.lock();
        try {
            return use(open(), work);
        } finally {
            turn.unlock();
        }
    }

    /** Runs work on the session if there is one. Without a session there are no grants. */
    <T> Optional<T> useIfOpen(Work<T> work) {
        turn.lock();
        try {
            Session current = session;
            return current == null ? Optional.empty() : Optional.of(use(current, work));
        } finally {
            turn.unlock();
        }
    }

    private <T> T use(Session current, Work<T> work) {
        try {
            return work.on(current);
        } catch (SQLException e) {
            throw failed(current, e);
        } catch (StoreException e) {
            throw e;
        } catch (RuntimeException e) {
            lose(current, e);
            throw StoreException.unknown(name + " sent an unexpected answer: " + e, e);
        } catch (Error e) {
            lose(current, e);
            throw e;
        }
    }

    private Session open() {
        Session current = session;
        if (current != null) {
            return current;
        }
        if (closed) {
            throw StoreException.notSent(name + " is closed", null);
        }
        Connection connection;
        try {
            connection = SessionConnector.open(connector, silenceMillis);
        } catch (SQLException e) {
            throw StoreException.notSent("No connection to " + name + ": " + e.getMessage(), e);
        }
        try {
            current = new Session(locks, connection, minIdleLimit);
        } catch (SQLException e) {
            close(connection);
            throw StoreException.notSent("No session at " + name + ": " + e.getMessage(), e);
        }
        session = current;
        if (!keeping) {
            keeping = true;
            keeper.start();
        }
        return current;
    }

    private static void close(Connection connection) {
        try {
            connection.close();
        } catch (SQLException e) {
            // It was not used yet.
        }
    }

    /** If the session still works, an error is the database's answer; otherwise the session has ended. */
    private StoreException failed(Session current, SQLException error) {
        if (SqlFailures.isConnectionLost(error) || !works(current)) {
            lose(current, error);
            return StoreException.unknown(
                    name + " was lost before it answered, and with it all locks of this session: " + error.getMessage(),
                    error);
        }
        return SqlFailures.isWorthRetrying(dialect, error)
                ? StoreException.notNow(name + " reported a conflict: " + error.getMessage(), error)
                : SqlFailures.answered(name, dialect, error);
    }

    private static boolean works(Session current) {
        try {
            current.confirm();
            return true;
        } catch (SQLException | RuntimeException e) {
            return false;
        }
    }

    private void lose(Session ended, Throwable why) {
        if (session != ended) {
            return;
        }
        session = null;
        lost = ended.holders().grants();
        ended.end();
        LOG.log(
                lost.isEmpty() ? System.Logger.Level.DEBUG : System.Logger.Level.WARNING,
                "The session at {0} that carried {1} locks has ended: {2}",
                name,
                lost.size(),
                why.getMessage());
        listeners.forEach(listener -> listener.sessionLost(LossReason.SESSION_LOST));
    }

    /** Why a grant is not held any more. */
    LossReason whyGone(Grant grant) {
        turn.lock();
        try {
            return lost.contains(grant) ? LossReason.SESSION_LOST : LossReason.EXPIRED;
        } finally {
            turn.unlock();
        }
    }

    private void keep() {
        while (!closed) {
            Session current = session;
            long wait = current == null ? probeNanos : current.answeredNanos() + probeNanos - System.nanoTime();
            if (wait > 0) {
                LockSupport.parkNanos(this, wait);
            } else {
                probe();
            }
        }
    }

    /** Confirms the session and releases expired grants. A failure is reported by {@link #lose}. */
    private void probe() {
        try {
            useIfOpen(current -> {
                current.confirm();
                current.releaseExpired(System.nanoTime());
                return true;
            });
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.DEBUG, "The probe of a session failed: {0}", e.getMessage());
        }
    }

    /** Ends the session and with it all its locks. A second call does nothing. */
    @Override
    public void close() {
        closed = true;
        LockSupport.unpark(keeper);
        turn.lock();
        try {
            Session current = session;
            session = null;
            if (current != null) {
                current.close();
                listeners.forEach(listener -> listener.sessionLost(LossReason.SESSION_LOST));
            }
        } finally {
            turn.unlock();
        }
    }
}
