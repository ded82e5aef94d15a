package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.BenchPolling;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.SequentialGuard;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;

/**
 * A minimal lock in a table: a conditional upsert acquires the lock and increments its token, and a conditional update
 * releases it. The calling thread executes both on a pooled connection. Several locks are acquired one by one, in the
 * order of their names.
 */
final class RawJdbcLocking implements Locking {
    private final HikariDataSource pool;
    private final String acquire;
    private final String release;
    private final String renew;
    private final long leaseMillis;
    private final String process = UUID.randomUUID() + ":";
    private final AtomicLong owners = new AtomicLong();
    private final ScheduledExecutorService timer = Executors.newSingleThreadScheduledExecutor(task -> {
        Thread thread = new Thread(task, "raw-renewal");
        thread.setDaemon(true);
        return thread;
    });
    private final Future<?> renewal;
    private volatile boolean holding;

    RawJdbcLocking(String url, Duration lease) {
        this.pool = ConnectionPools.usual(url);
        this.acquire = DatabaseProduct.of(url).sql("raw-acquire");
        this.release = DatabaseProduct.of(url).sql("raw-release");
        this.renew = DatabaseProduct.of(url).sql("raw-renew");
        this.leaseMillis = lease.toMillis();
        long interval = leaseMillis / 3;
        this.renewal = timer.scheduleAtFixedRate(this::renew, interval, interval, TimeUnit.MILLISECONDS);
    }

    @Override
    public LockGuard guard(String name) {
        return new SequentialGuard(List.of(name), this::single);
    }

    @Override
    public LockGuard guardAll(List<String> names) {
        return new SequentialGuard(SequentialGuard.sorted(names), this::single);
    }

    private SequentialGuard.Single single(String name) {
        return () -> {
            String owner = process + owners.incrementAndGet();
            BenchPolling.until(() -> acquire(name, owner));
            return () -> release(name, owner);
        };
    }

    private boolean acquire(String name, String owner) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(acquire)) {
            statement.setString(1, name);
            statement.setString(2, owner);
            statement.setLong(3, leaseMillis);
            try (ResultSet row = statement.executeQuery()) {
                return row.next() && owner.equals(row.getString(1)) && row.getLong(2) > 0;
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The minimal lock could not acquire " + name, e);
        }
    }

    private void release(String name, String owner) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(release)) {
            statement.setString(1, name);
            statement.setString(2, owner);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException("The minimal lock lost " + name);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The minimal lock could not release " + name, e);
        }
    }

    /** All held locks have one owner. One statement renews them after a third of the lease. */
    @Override
    public Runnable hold(String name) {
        holding = true;
        BenchPolling.until(() -> acquire(name, process));
        return () -> release(name, process);
    }

    private void renew() {
        if (!holding) {
            return;
        }
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(renew)) {
            statement.setLong(1, leaseMillis);
            statement.setString(2, process);
            statement.executeUpdate();
        } catch (SQLException e) {
            throw new IllegalStateException("The minimal lock could not renew", e);
        }
    }

    @Override
    public void close() {
        renewal.cancel(true);
        timer.shutdownNow();
        pool.close();
    }
}
