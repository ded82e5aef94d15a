package dev.interlock.jdbc.session;

import dev.interlock.jdbc.internal.Dialect;
import dev.interlock.jdbc.internal.Failures;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Grant;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.StoreListener;
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
 * The one way to a backend's session: one thread at a time, first come first served. Begins a session when there is none, and looks after
 * it: a probe is sent whenever the database has been silent for an interval, and the end of a session is told to all who listen.
 *
 * <p>Invariants: there is at most one session that is not ended; whoever is let in gets that one; everything a session holds is lost when it
 * is replaced. Thread-safe.
 */
final class SessionLane implements AutoCloseable {
    private static final System.Logger LOG = System.getLogger("dev.interlock.jdbc");

    /** Work on the session, which nobody else uses meanwhile. */
    interface Work<T> {
        T on(Session session) throws SQLException;
    }

    private final Connector connector;
    private final SessionLocks locks;
    private final String name;
    private final Dialect dialect;
    private final int silenceMillis;
    private final long probeNanos;
    private final Duration leastSilence;
    private final ReentrantLock turn = new ReentrantLock(true);
    private final List<StoreListener> listeners = new CopyOnWriteArrayList<>();
    private final Thread keeper = new Thread(this::keep, "interlock-session-keeper");
    private volatile boolean closed;

    /** Written by whoever has the turn. */
    private volatile @Nullable Session session;

    // Guarded by turn.
    private Set<Grant> lost = Set.of();
    private boolean keeping;

    SessionLane(
            Connector connector,
            SessionLocks locks,
            String name,
            Dialect dialect,
            Duration silence,
            Duration probeEvery,
            Duration leastSilence) {
        this.connector = connector;
        this.locks = locks;
        this.name = name;
        this.dialect = dialect;
        this.silenceMillis = Math.toIntExact(silence.toMillis());
        this.probeNanos = probeEvery.toNanos();
        this.leastSilence = leastSilence;
        keeper.setDaemon(true);
    }

    String name() {
        return name;
    }

    Dialect dialect() {
        return dialect;
    }

    void tell(StoreListener listener) {
        listeners.add(listener);
    }

    void tellNoMore(StoreListener listener) {
        listeners.remove(listener);
    }

    /** Works on the session; begins one if there is none. */
    <T> T use(Work<T> work) {
        turn.lock();
        try {
            return use(open(), work);
        } finally {
            turn.unlock();
        }
    }

    /** Works on the session if there is one: what is about grants has nothing to do without. */
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
            throw StoreException.unknown(name + " answered what nobody understands: " + e, e);
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
            connection = Connector.open(connector, silenceMillis);
        } catch (SQLException e) {
            throw StoreException.notSent("No connection to " + name + ": " + e.getMessage(), e);
        }
        try {
            current = new Session(locks, connection, leastSilence);
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
            // Nobody has used it.
        }
    }

    /** An error over a session that is well and sound is the database's answer; anything else is the session's end. */
    private StoreException failed(Session current, SQLException error) {
        if (Failures.isConnectionLost(error) || !isSound(current)) {
            lose(current, error);
            return StoreException.unknown(
                    name + " was lost before it answered, and with it all locks of this session: " + error.getMessage(),
                    error);
        }
        return Failures.isWorthRetrying(dialect, error)
                ? StoreException.notNow(name + " gave up because of others: " + error.getMessage(), error)
                : Failures.answered(name, dialect, error);
    }

    private static boolean isSound(Session current) {
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
            long left = current == null ? probeNanos : current.heardNanos() + probeNanos - System.nanoTime();
            if (left > 0) {
                LockSupport.parkNanos(this, left);
            } else {
                probe();
            }
        }
    }

    /** A sign of life; also gives back what nobody has renewed in time. What fails here is told by {@link #lose}. */
    private void probe() {
        try {
            useIfOpen(current -> {
                current.confirm();
                current.forgetExpired(System.nanoTime());
                return true;
            });
        } catch (StoreException e) {
            LOG.log(System.Logger.Level.DEBUG, "The probe of a session failed: {0}", e.getMessage());
        }
    }

    /** Ends the session, and with it all its locks. A second call does nothing. */
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
