package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.OneByOne;
import dev.interlock.bench.Polling;
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
 * The floor: one conditional upsert that takes a lock and raises its token, and one conditional update that gives it back, each
 * by the thread that wants it, on a pooled connection. Several locks are taken one by one, in the order of their names.
 */
final class RawLocking implements Locking {
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

    RawLocking(String url, Duration lease) {
        this.pool = Pools.usual(url);
        this.acquire = Product.of(url).sql("raw-acquire");
        this.release = Product.of(url).sql("raw-release");
        this.renew = Product.of(url).sql("raw-renew");
        this.leaseMillis = lease.toMillis();
        long interval = leaseMillis / 3;
        this.renewal = timer.scheduleAtFixedRate(this::renew, interval, interval, TimeUnit.MILLISECONDS);
    }

    @Override
    public Guard guard(String name) {
        return new OneByOne(List.of(name), this::single);
    }

    @Override
    public Guard guardAll(List<String> names) {
        return new OneByOne(OneByOne.sorted(names), this::single);
    }

    private OneByOne.Single single(String name) {
        return () -> {
            String owner = process + owners.incrementAndGet();
            Polling.until(() -> acquire(name, owner));
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
            throw new IllegalStateException("The floor could not acquire " + name, e);
        }
    }

    private void release(String name, String owner) {
        try (Connection connection = pool.getConnection();
                PreparedStatement statement = connection.prepareStatement(release)) {
            statement.setString(1, name);
            statement.setString(2, owner);
            if (statement.executeUpdate() != 1) {
                throw new IllegalStateException("The floor lost " + name);
            }
        } catch (SQLException e) {
            throw new IllegalStateException("The floor could not release " + name, e);
        }
    }

    /** All that is held has one owner, and is renewed at a third of the lease by one statement. */
    @Override
    public Runnable hold(String name) {
        holding = true;
        Polling.until(() -> acquire(name, process));
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
            throw new IllegalStateException("The floor could not renew", e);
        }
    }

    @Override
    public void close() {
        renewal.cancel(true);
        timer.shutdownNow();
        pool.close();
    }
}
