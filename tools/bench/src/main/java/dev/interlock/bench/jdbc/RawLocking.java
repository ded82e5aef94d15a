package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.Guard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.Polling;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;

/**
 * The floor: one conditional upsert that takes a lock and raises its token, and one conditional update that gives it back, each
 * by the thread that wants it, on a pooled connection. Several locks are taken one by one, in the order of their names.
 */
final class RawLocking implements Locking {
    private final HikariDataSource pool;
    private final String acquire;
    private final String release;
    private final long leaseMillis;
    private final String process = UUID.randomUUID() + ":";
    private final AtomicLong owners = new AtomicLong();

    RawLocking(String url, Duration lease) {
        this.pool = Pools.usual(url);
        this.acquire = Product.of(url).sql("raw-acquire");
        this.release = Product.of(url).sql("raw-release");
        this.leaseMillis = lease.toMillis();
    }

    @Override
    public Guard guard(String name) {
        return guardAll(List.of(name));
    }

    @Override
    public Guard guardAll(List<String> names) {
        List<String> sorted = names.stream().sorted().toList();
        return section -> {
            String owner = process + owners.incrementAndGet();
            for (String name : sorted) {
                Polling.until(() -> acquire(name, owner));
            }
            try {
                section.run();
            } finally {
                sorted.forEach(name -> release(name, owner));
            }
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

    @Override
    public Runnable hold(String name) {
        throw new UnsupportedOperationException("The floor does not renew");
    }

    @Override
    public void close() {
        pool.close();
    }
}
