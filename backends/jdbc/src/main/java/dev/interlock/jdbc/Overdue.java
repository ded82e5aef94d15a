package dev.interlock.jdbc;

import java.sql.SQLException;
import java.sql.Statement;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Cancels statements that take too long, mostly because somebody keeps a row locked and hangs. The drivers' own query time-outs do the same
 * and wake a thread for every statement; this looks around four times a second while there is work, which is two writes per statement.
 *
 * <p>Invariant: a statement is cancelled only while the thread that began it has not said that it is over.
 */
final class Overdue {
    /** Shorter than the engine waits for an answer: a locked row must not pass for a database that is gone. */
    private static final long LIMIT_NANOS = TimeUnit.MILLISECONDS.toNanos(1_700);

    private static final Executor SOON = CompletableFuture.delayedExecutor(250, TimeUnit.MILLISECONDS);

    /** What one thread is doing. */
    private static final class Desk {
        final Thread thread = Thread.currentThread();
        volatile @Nullable Statement statement;
        volatile long since;
        volatile boolean cancelled;
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
        desk.cancelled = false;
        desk.statement = statement;
        if (!looking.get() && looking.compareAndSet(false, true)) {
            SOON.execute(this::look);
        }
    }

    /** Whether this thread's last statement was told to end. That it did not do its work by then is for the driver to know. */
    boolean wasCancelled() {
        return mine.get().cancelled;
    }

    /** This thread's statements are over. */
    void end() {
        mine.get().statement = null;
    }

    private void look() {
        boolean busy = false;
        long now = System.nanoTime();
        for (Desk desk : desks) {
            Statement statement = desk.statement;
            if (statement != null) {
                busy = true;
                if (now - desk.since > LIMIT_NANOS) {
                    cancel(desk, statement);
                }
            }
        }
        desks.removeIf(desk -> !desk.thread.isAlive());
        if (busy) {
            SOON.execute(this::look);
        } else {
            looking.set(false);
            // Whoever began since then has seen that somebody was looking.
            if (desks.stream().anyMatch(desk -> desk.statement != null) && looking.compareAndSet(false, true)) {
                SOON.execute(this::look);
            }
        }
    }

    /** By a thread of its own, since drivers open a connection for it. */
    private static void cancel(Desk desk, Statement statement) {
        Thread thread = new Thread(
                () -> {
                    try {
                        if (desk.statement == statement) {
                            desk.cancelled = true;
                            statement.cancel();
                        }
                    } catch (SQLException | RuntimeException e) {
                        // It ended by itself, or its connection is gone, which its thread finds out.
                        System.getLogger("dev.interlock.jdbc")
                                .log(
                                        System.Logger.Level.DEBUG,
                                        "A statement could not be cancelled: {0}",
                                        e.toString());
                    }
                },
                "interlock-jdbc-cancel");
        thread.setDaemon(true);
        thread.start();
    }
}
