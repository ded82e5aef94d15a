package dev.interlock.jdbc;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.locks.LockSupport;
import java.util.concurrent.locks.ReentrantLock;
import org.jspecify.annotations.Nullable;
import org.postgresql.PGConnection;

/**
 * Cancels statements that take too long, mostly because another transaction keeps a row locked. The query time-outs of
 * the drivers do the same but wake a thread for every statement. Here one thread checks all statements four times a
 * second while there is work, and a statement costs two memory writes.
 *
 * <p>A caller's own thread must return in time even if the network is cut. A socket time-out would cost two more system
 * calls per statement, so the connection of such a thread is closed if the cancel does not help. On PostgreSQL only:
 * the other drivers ask the server before they close a connection.
 *
 * <p>Invariants: a statement is cancelled, and a connection closed, only before its thread has reported the end. That
 * report returns whether a cancel was sent. The cancel may arrive late and hit the next statement on the connection, so
 * the connection must not be used again.
 */
final class StatementTimeouts {
    /** Shorter than the engine waits for an answer: a locked row must not look like an unreachable database. */
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_700);

    /** The limit for a caller's own thread, which may be used for 1.9 s. */
    private static final long CALLER_LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    /** When the connection of a caller's own thread is closed. A check may come a quarter of a second late. */
    private static final long CLOSE_NANOS = TimeUnit.MILLISECONDS.toNanos(1_400);

    private static final long CHECK_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** Checks without work after which the thread ends. */
    private static final int MAX_IDLE_CHECKS = 40;

    /** The current statement of one thread. */
    private static final class Activity {
        final Thread thread = Thread.currentThread();
        volatile @Nullable Statement statement;
        volatile long since;

        /** Whether a cancel was sent since the thread last reported the end. */
        volatile boolean cancelled;

        /** The connection, if the thread is a caller's own. */
        volatile @Nullable Connection callersConnection;

        /** Excludes the end of a statement from its cancel. */
        final ReentrantLock ending = new ReentrantLock();

        boolean isOlderThan(long nanos) {
            return System.nanoTime() - since > nanos;
        }
    }

    private final Queue<Activity> activities = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Activity> mine = ThreadLocal.withInitial(() -> {
        Activity activity = new Activity();
        activities.add(activity);
        return activity;
    });
    private final AtomicBoolean checking = new AtomicBoolean();

    /** The calling thread is about to execute a statement. Its earlier statements have ended. */
    void begin(Statement statement) {
        Activity activity = mine.get();
        activity.since = System.nanoTime();
        activity.statement = statement;
        if (!checking.get() && checking.compareAndSet(false, true)) {
            boolean started = false;
            try {
                inBackground("interlock-jdbc-timeouts", this::check);
                started = true;
            } finally {
                checking.set(started);
            }
        }
    }

    /** Whether a cancel was sent to a statement of the calling thread. The statement may have completed before. */
    boolean wasCancelled() {
        return mine.get().cancelled;
    }

    /** The calling thread is a caller's own: if its statement does not end in time, the connection is closed. */
    void beginOnCallersThread(Connection connection) {
        Activity activity = mine.get();
        activity.since = System.nanoTime();
        activity.callersConnection = connection;
    }

    /**
     * The statements of the calling thread have ended. False if the connection must not be used again: a cancel may
     * still arrive.
     */
    boolean end() {
        Activity activity = mine.get();
        activity.ending.lock();
        try {
            boolean clean = !activity.cancelled;
            activity.statement = null;
            activity.callersConnection = null;
            activity.cancelled = false;
            return clean;
        } finally {
            activity.ending.unlock();
        }
    }

    private void check() {
        int idle = 0;
        while (idle < MAX_IDLE_CHECKS) {
            LockSupport.parkNanos(CHECK_NANOS);
            idle++;
            for (Activity activity : activities) {
                Statement statement = activity.statement;
                if (statement != null) {
                    idle = 0;
                    check(activity, statement);
                }
            }
            activities.removeIf(activity -> !activity.thread.isAlive());
        }
        checking.set(false);
        // A statement that began in between saw that a thread was checking.
        if (activities.stream().anyMatch(activity -> activity.statement != null)
                && checking.compareAndSet(false, true)) {
            check();
        }
    }

    /** Cancels on separate threads: drivers open a connection to cancel, and closing one may take long. */
    private static void check(Activity activity, Statement statement) {
        try {
            if (activity.callersConnection == null) {
                if (activity.isOlderThan(LIMIT_NANOS)) {
                    inBackground("interlock-jdbc-cancel", () -> cancel(activity, statement));
                }
            } else if (activity.isOlderThan(CLOSE_NANOS)) {
                inBackground("interlock-jdbc-cancel", () -> closeConnection(activity));
            } else if (activity.isOlderThan(CALLER_LIMIT_NANOS)) {
                inBackground("interlock-jdbc-cancel", () -> cancelCallers(activity));
            }
        } catch (OutOfMemoryError e) {
            // No thread available; the next check comes soon.
            System.getLogger("dev.interlock.jdbc")
                    .log(System.Logger.Level.WARNING, "A statement that takes too long could not be cancelled", e);
        }
    }

    private interface Work {
        void run() throws SQLException;
    }

    private static void inBackground(String name, Work work) {
        Thread thread = new Thread(
                () -> {
                    try {
                        work.run();
                    } catch (SQLException | RuntimeException e) {
                        // The statement ended, or its connection is lost, which its thread will notice.
                        System.getLogger("dev.interlock.jdbc")
                                .log(
                                        System.Logger.Level.DEBUG,
                                        "A statement could not be cancelled: {0}",
                                        e.toString());
                    }
                },
                name);
        thread.setDaemon(true);
        thread.start();
    }

    private static void cancel(Activity activity, Statement statement) throws SQLException {
        activity.ending.lock();
        try {
            // Its age too: a prepared statement that stays open may be running again by now.
            if (activity.statement != statement || !activity.isOlderThan(LIMIT_NANOS)) {
                return;
            }
            activity.cancelled = true;
        } finally {
            activity.ending.unlock();
        }
        statement.cancel();
    }

    /**
     * Not with Statement.cancel(): its thread would then wait for the cancel to arrive, which fails if the network is
     * cut.
     */
    private static void cancelCallers(Activity activity) throws SQLException {
        PGConnection server;
        activity.ending.lock();
        try {
            Connection connection = activity.callersConnection;
            if (connection == null || activity.cancelled || !activity.isOlderThan(CALLER_LIMIT_NANOS)) {
                return;
            }
            activity.cancelled = true;
            server = connection.unwrap(PGConnection.class);
        } finally {
            activity.ending.unlock();
        }
        server.cancelQuery();
    }

    private static void closeConnection(Activity activity) throws SQLException {
        activity.ending.lock();
        try {
            Connection connection = activity.callersConnection;
            if (connection != null && activity.isOlderThan(CLOSE_NANOS)) {
                activity.cancelled = true;
                connection.abort(Runnable::run);
            }
        } finally {
            activity.ending.unlock();
        }
    }
}
