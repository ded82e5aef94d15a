package dev.interlock.jdbc;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReferenceArray;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * Open connections that are kept between statements while locks are in steady use. Taking one needs no wait for a pool,
 * a login or a validation, so a caller's own thread can use it without exceeding its patience.
 *
 * <p>Invariants: a connection that was taken has one user until it is put back or dropped. A connection returns to its
 * pool, which validates it, after half a second of idleness, after ten seconds, or after a failure.
 */
final class WarmConnections {
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long MAX_AGE_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** A pool may take its time when a connection is returned; no caller waits for that. */
    private static final Executor BACKGROUND = work -> {
        Thread thread = new Thread(work, "interlock-jdbc-return");
        thread.setDaemon(true);
        thread.start();
    };

    private static final Executor AFTER_IDLE_TIME =
            CompletableFuture.delayedExecutor(IDLE_NANOS, TimeUnit.NANOSECONDS, BACKGROUND);

    /**
     * Prepares a statement that stays open as long as its connection is kept, so that it is not prepared and closed
     * each time.
     */
    interface Preparation {
        PreparedStatement on(Connection connection) throws SQLException;
    }

    /** A kept connection, with its former settings and its age. */
    static final class Warm {
        final Connection connection;
        final ConnectionSettings settings;
        private final Map<Preparation, PreparedStatement> prepared = new HashMap<>();
        private final long since = System.nanoTime();
        private volatile long used = since;

        Warm(Connection connection, ConnectionSettings settings) {
            this.connection = connection;
            this.settings = settings;
        }

        /**
         * Returns the open statement of this preparation, or prepares it. Only for the current user of the connection.
         */
        PreparedStatement statement(Preparation preparation) throws SQLException {
            PreparedStatement known = prepared.get(preparation);
            if (known == null) {
                known = preparation.on(connection);
                prepared.put(preparation, known);
            }
            return known;
        }

        /** Closes the statements before the connection returns to its pool. */
        void closeStatements() {
            for (PreparedStatement statement : prepared.values()) {
                try {
                    statement.close();
                } catch (SQLException e) {
                    System.getLogger("dev.interlock.jdbc")
                            .log(System.Logger.Level.DEBUG, "A statement could not be closed: {0}", e.toString());
                }
            }
        }
    }

    private final AtomicReferenceArray<@Nullable Warm> idle;
    private final Consumer<Warm> returnToPool;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile boolean missed;
    private volatile boolean closed;

    /** Keeps at most this many; {@code returnToPool} restores a connection and returns it. */
    WarmConnections(int max, Consumer<Warm> returnToPool) {
        this.idle = new AtomicReferenceArray<>(max);
        this.returnToPool = returnToPool;
    }

    /**
     * Takes a connection for the calling thread; null if there is none. Prefers the one that this thread had before,
     * because the thread and its peer in the database then share a processor cache.
     */
    @Nullable
    Warm take() {
        int max = idle.length();
        if (max == 0) {
            return null;
        }
        int home = home();
        for (int i = 0; i < max; i++) {
            int at = (home + i) % max;
            if (idle.get(at) != null) {
                Warm warm = idle.getAndSet(at, null);
                if (warm != null) {
                    return warm;
                }
            }
        }
        missed = true;
        return null;
    }

    private int home() {
        return (int) (Thread.currentThread().getId() % idle.length());
    }

    /** Puts back a connection that works. */
    void putBack(Warm warm) {
        warm.used = System.nanoTime();
        int max = idle.length();
        int home = home();
        if (warm.used - warm.since <= MAX_AGE_NANOS) {
            for (int i = 0; i < max && !closed; i++) {
                if (idle.compareAndSet((home + i) % max, null, warm)) {
                    if (closed) {
                        BACKGROUND.execute(this::dropIdle);
                    }
                    return;
                }
            }
        }
        BACKGROUND.execute(() -> drop(warm));
    }

    /** Drops a connection that may be broken, and all idle ones, which may be broken too. */
    void dropAfterFailure(Warm warm) {
        BACKGROUND.execute(() -> {
            drop(warm);
            dropIdle();
        });
    }

    /**
     * Reserves room for one more connection if one was missed. If true, {@link #add} or {@link #cancelReservation} must
     * follow.
     */
    boolean reserve() {
        if (!missed || closed) {
            return false;
        }
        if (count.getAndIncrement() >= idle.length()) {
            count.decrementAndGet();
            return false;
        }
        missed = false;
        return true;
    }

    void cancelReservation() {
        count.decrementAndGet();
    }

    void add(Warm warm) {
        scheduleSweep();
        putBack(warm);
    }

    private void scheduleSweep() {
        if (count.get() > 0 && sweeping.compareAndSet(false, true)) {
            AFTER_IDLE_TIME.execute(this::sweep);
        }
    }

    /** Repeats as long as connections are kept. */
    private void sweep() {
        try {
            long now = System.nanoTime();
            for (int i = 0; i < idle.length(); i++) {
                Warm warm = idle.get(i);
                if (warm != null && now - warm.used > IDLE_NANOS && idle.compareAndSet(i, warm, null)) {
                    drop(warm);
                }
            }
        } finally {
            sweeping.set(false);
            scheduleSweep();
        }
    }

    private void dropIdle() {
        for (int i = 0; i < idle.length(); i++) {
            Warm warm = idle.getAndSet(i, null);
            if (warm != null) {
                drop(warm);
            }
        }
    }

    private void drop(Warm warm) {
        count.decrementAndGet();
        returnToPool.accept(warm);
    }

    void close() {
        closed = true;
        dropIdle();
    }
}
