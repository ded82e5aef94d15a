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
 * Connections that stay at hand between statements while locks are in steady use. One of these can be had without waiting for a pool, a
 * login or a validation, so a caller's own thread can use it and still keep its patience.
 *
 * <p>Invariants: whoever takes one has it alone, until it is given back or dropped. One that lay idle for half a second, was kept for ten
 * or has failed goes back to its pool, which looks whether it still works.
 */
final class Kept {
    private static final long IDLE_NANOS = TimeUnit.MILLISECONDS.toNanos(500);
    private static final long LONGEST_NANOS = TimeUnit.SECONDS.toNanos(10);

    /** Pools may do as they like when they get a connection back; no caller waits for it. */
    private static final Executor BACKGROUND = work -> {
        Thread thread = new Thread(work, "interlock-jdbc-give-back");
        thread.setDaemon(true);
        thread.start();
    };

    private static final Executor SOON =
            CompletableFuture.delayedExecutor(IDLE_NANOS, TimeUnit.NANOSECONDS, BACKGROUND);

    /** Makes a statement over a connection, which stays open as long as the connection is kept: it need not be looked up and closed each time. */
    interface Preparation {
        PreparedStatement over(Connection connection) throws SQLException;
    }

    /** One of them, with what it was like before and how long it has been here. */
    static final class Spare {
        final Connection connection;
        final FormerState former;
        private final Map<Preparation, PreparedStatement> prepared = new HashMap<>();
        private final long since = System.nanoTime();
        private volatile long used = since;

        Spare(Connection connection, FormerState former) {
            this.connection = connection;
            this.former = former;
        }

        /** The statement that was prepared like this before, or now. For whoever has taken this. */
        PreparedStatement statement(Preparation preparation) throws SQLException {
            PreparedStatement known = prepared.get(preparation);
            if (known == null) {
                known = preparation.over(connection);
                prepared.put(preparation, known);
            }
            return known;
        }

        /** Closes its statements, before the connection goes back. */
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

    private final AtomicReferenceArray<@Nullable Spare> idle;
    private final Consumer<Spare> giveBack;
    private final AtomicInteger count = new AtomicInteger();
    private final AtomicBoolean sweeping = new AtomicBoolean();
    private volatile boolean missed;
    private volatile boolean closed;

    /** So many at most; {@code giveBack} returns one to its pool as it was. */
    Kept(int most, Consumer<Spare> giveBack) {
        this.idle = new AtomicReferenceArray<>(most);
        this.giveBack = giveBack;
    }

    /**
     * One of them for the caller alone; null if there is none. The one that this thread had before, if possible: it and its peer in the
     * database share a processor's cache then.
     */
    @Nullable
    Spare take() {
        int most = idle.length();
        if (most == 0) {
            return null;
        }
        int home = home();
        for (int i = 0; i < most; i++) {
            int at = (home + i) % most;
            if (idle.get(at) != null) {
                Spare spare = idle.getAndSet(at, null);
                if (spare != null) {
                    return spare;
                }
            }
        }
        missed = true;
        return null;
    }

    private int home() {
        return (int) (Thread.currentThread().getId() % idle.length());
    }

    /** It is not used any more, and works. */
    void give(Spare spare) {
        spare.used = System.nanoTime();
        int most = idle.length();
        int home = home();
        if (spare.used - spare.since <= LONGEST_NANOS) {
            for (int i = 0; i < most && !closed; i++) {
                if (idle.compareAndSet((home + i) % most, null, spare)) {
                    if (closed) {
                        BACKGROUND.execute(this::dropIdle);
                    }
                    return;
                }
            }
        }
        BACKGROUND.execute(() -> drop(spare));
    }

    /** It may be broken; then the others may be too. */
    void broke(Spare spare) {
        BACKGROUND.execute(() -> {
            drop(spare);
            dropIdle();
        });
    }

    /** Whether one was missed and there is room for it; then {@link #keep} is to follow. */
    boolean wants() {
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

    /** It cannot be kept after all. */
    void wantsNot() {
        count.decrementAndGet();
    }

    void keep(Spare spare) {
        sweepSoon();
        give(spare);
    }

    private void sweepSoon() {
        if (count.get() > 0 && sweeping.compareAndSet(false, true)) {
            SOON.execute(this::sweep);
        }
    }

    /** Again and again as long as there are some. */
    private void sweep() {
        try {
            long now = System.nanoTime();
            for (int i = 0; i < idle.length(); i++) {
                Spare spare = idle.get(i);
                if (spare != null && now - spare.used > IDLE_NANOS && idle.compareAndSet(i, spare, null)) {
                    drop(spare);
                }
            }
        } finally {
            sweeping.set(false);
            sweepSoon();
        }
    }

    private void dropIdle() {
        for (int i = 0; i < idle.length(); i++) {
            Spare spare = idle.getAndSet(i, null);
            if (spare != null) {
                drop(spare);
            }
        }
    }

    private void drop(Spare spare) {
        count.decrementAndGet();
        giveBack.accept(spare);
    }

    void close() {
        closed = true;
        dropIdle();
    }
}
