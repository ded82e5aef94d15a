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
 * Cancels statements that take too long, mostly because somebody keeps a row locked and hangs. The drivers' own query time-outs do the same
 * and wake a thread for every statement; this looks around four times a second while there is work, which is two writes per statement.
 *
 * <p>A caller's own thread must come back in time even if the network is cut, and a time-out of the socket would cost each statement two more
 * calls of the operating system; so the connection that such a thread uses is closed under it if the cancel does not help. For PostgreSQL
 * only: the others' drivers ask the server before they close.
 *
 * <p>Invariants: a statement is cancelled, and a connection closed, only while the thread that began has not said that it is over. Whoever says so learns
 * whether a cancel is under way, which may arrive at the next statement on that connection: so there must be none.
 */
final class Overdue {
    /** Shorter than the engine waits for an answer: a locked row must not pass for a database that is gone. */
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_700);

    /** The same for a caller's own thread, which is lent for 1.9 s, */
    private static final long LENT_NANOS = TimeUnit.MILLISECONDS.toNanos(900);

    /** and how long it has after that; looking takes a quarter of a second. */
    private static final long CUT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_400);

    private static final long PAUSE_NANOS = TimeUnit.MILLISECONDS.toNanos(250);

    /** For so many looks without work the thread stays. */
    private static final int PATIENCE = 40;

    /** What one thread is doing. */
    private static final class Desk {
        final Thread thread = Thread.currentThread();
        volatile @Nullable Statement statement;
        volatile long since;

        /** Whether something was told to end since the thread last said that all is over. */
        volatile boolean cancelled;

        /** The connection of a thread that was lent. */
        volatile @Nullable Connection lent;

        /** To end excludes to be cancelled or closed. */
        final ReentrantLock ending = new ReentrantLock();

        boolean isOlderThan(long nanos) {
            return System.nanoTime() - since > nanos;
        }
    }

    private final Queue<Desk> desks = new ConcurrentLinkedQueue<>();
    private final ThreadLocal<Desk> mine = ThreadLocal.withInitial(() -> {
        Desk desk = new Desk();
        desks.add(desk);
        return desk;
    });
    private final AtomicBoolean looking = new AtomicBoolean();

    /** This thread is about to execute a statement; whatever it did before is over. */
    void begin(Statement statement) {
        Desk desk = mine.get();
        desk.since = System.nanoTime();
        desk.statement = statement;
        if (!looking.get() && looking.compareAndSet(false, true)) {
            boolean started = false;
            try {
                inBackground("interlock-jdbc-overdue", this::look);
                started = true;
            } finally {
                looking.set(started);
            }
        }
    }

    /** Whether a statement of this thread was told to end. That it did not do its work by then is for the driver to know. */
    boolean wasCancelled() {
        return mine.get().cancelled;
    }

    /** This thread is a caller's: if what it begins does not end by itself, its connection is closed. */
    void lend(Connection connection) {
        Desk desk = mine.get();
        desk.since = System.nanoTime();
        desk.lent = connection;
    }

    /** This thread's statements are over. False if their connection is to be used no more: a cancel may yet arrive there. */
    boolean end() {
        Desk desk = mine.get();
        desk.ending.lock();
        try {
            boolean clean = !desk.cancelled;
            desk.statement = null;
            desk.lent = null;
            desk.cancelled = false;
            return clean;
        } finally {
            desk.ending.unlock();
        }
    }

    private void look() {
        int idle = 0;
        while (idle < PATIENCE) {
            LockSupport.parkNanos(PAUSE_NANOS);
            idle++;
            for (Desk desk : desks) {
                Statement statement = desk.statement;
                if (statement != null) {
                    idle = 0;
                    look(desk, statement);
                }
            }
            desks.removeIf(desk -> !desk.thread.isAlive());
        }
        looking.set(false);
        // Whoever began since then has seen that somebody was looking.
        if (desks.stream().anyMatch(desk -> desk.statement != null) && looking.compareAndSet(false, true)) {
            look();
        }
    }

    /** In threads of their own, since drivers open a connection to cancel, and closing one may take its time. */
    private static void look(Desk desk, Statement statement) {
        try {
            if (desk.lent == null) {
                if (desk.isOlderThan(LIMIT_NANOS)) {
                    inBackground("interlock-jdbc-cancel", () -> cancel(desk, statement));
                }
            } else if (desk.isOlderThan(CUT_NANOS)) {
                inBackground("interlock-jdbc-cancel", () -> cut(desk));
            } else if (desk.isOlderThan(LENT_NANOS)) {
                inBackground("interlock-jdbc-cancel", () -> cancelLent(desk));
            }
        } catch (OutOfMemoryError e) {
            // No thread to be had; there is another look soon.
            System.getLogger("dev.interlock.jdbc").log(System.Logger.Level.WARNING, "A statement hangs", e);
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
                        // It ended by itself, or its connection is gone, which its thread finds out.
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

    private static void cancel(Desk desk, Statement statement) throws SQLException {
        desk.ending.lock();
        try {
            // Its age too: a statement that stays open may be under way again by now.
            if (desk.statement != statement || !desk.isOlderThan(LIMIT_NANOS)) {
                return;
            }
            desk.cancelled = true;
        } finally {
            desk.ending.unlock();
        }
        statement.cancel();
    }

    /** Not by the statement: its thread would then wait for the cancel to arrive, which it does not if the network is cut. */
    private static void cancelLent(Desk desk) throws SQLException {
        PGConnection connection;
        desk.ending.lock();
        try {
            Connection lent = desk.lent;
            if (lent == null || desk.cancelled || !desk.isOlderThan(LENT_NANOS)) {
                return;
            }
            desk.cancelled = true;
            connection = lent.unwrap(PGConnection.class);
        } finally {
            desk.ending.unlock();
        }
        connection.cancelQuery();
    }

    private static void cut(Desk desk) throws SQLException {
        desk.ending.lock();
        try {
            Connection lent = desk.lent;
            if (lent != null && desk.isOlderThan(CUT_NANOS)) {
                desk.cancelled = true;
                lent.abort(Runnable::run);
            }
        } finally {
            desk.ending.unlock();
        }
    }
}
