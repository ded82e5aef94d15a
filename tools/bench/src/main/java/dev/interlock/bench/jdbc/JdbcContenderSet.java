package dev.interlock.bench.jdbc;

import com.zaxxer.hikari.HikariDataSource;
import dev.interlock.bench.Contender;
import dev.interlock.bench.InterlockLocking;
import dev.interlock.bench.LockGuard;
import dev.interlock.bench.Locking;
import dev.interlock.bench.ShedLocking;
import dev.interlock.jdbc.JdbcBackend;
import java.time.Duration;
import java.util.List;
import java.util.function.Supplier;
import java.util.stream.Stream;
import net.javacrumbs.shedlock.provider.jdbctemplate.JdbcTemplateLockProvider;
import org.springframework.jdbc.core.JdbcTemplate;

/** All contenders of a suite, in one database. Each has its own table and pool. */
final class JdbcContenderSet {
    /** The default length of a lease. No lease ends during a turn. */
    static final Duration LEASE = Duration.ofSeconds(30);

    private final DatabaseProduct product;
    private final Supplier<String> url;
    private final Duration lease;

    /** With leases of this length, in a database with the tables. The URL is resolved on first use. */
    JdbcContenderSet(DatabaseProduct product, Supplier<String> url, Duration lease) {
        this.product = product;
        this.url = url;
        this.lease = lease;
    }

    List<Contender> all() {
        return Stream.of(
                        List.of(
                                Contender.ours(this::interlock),
                                Contender.floor("raw", () -> new RawJdbcLocking(url.get(), lease))),
                        sessions(),
                        List.of(
                                Contender.peer("spring", () -> new SpringJdbcLocking(url.get(), lease)),
                                Contender.peer("shedlock", this::shedlock)))
                .flatMap(List::stream)
                .toList();
    }

    /** Interlock as most applications use it: with the connection pool of the application. */
    Contender pooled() {
        return Contender.ours(() -> {
            HikariDataSource pool = ConnectionPools.usual(url.get());
            return new WithPool(InterlockLocking.leasing(JdbcBackend.over(pool), lease), pool);
        });
    }

    private List<Contender> sessions() {
        return switch (product) {
            case POSTGRESQL ->
                List.of(
                        session("advisory_blocking", SessionLocking.Kind.ADVISORY_BLOCKING),
                        session("advisory", SessionLocking.Kind.ADVISORY_TRY));
            case MARIADB ->
                List.of(
                        session("advisory_blocking", SessionLocking.Kind.NAMED_BLOCKING),
                        session("advisory", SessionLocking.Kind.NAMED_TRY));
        };
    }

    private Contender session(String name, SessionLocking.Kind kind) {
        return Contender.floor(name, () -> new SessionLocking(url.get(), kind));
    }

    private Locking interlock() {
        return InterlockLocking.leasing(JdbcBackend.connect(url.get()), lease);
    }

    private ShedLocking shedlock() {
        HikariDataSource pool = ConnectionPools.usual(url.get());
        return new ShedLocking(
                new JdbcTemplateLockProvider(JdbcTemplateLockProvider.Configuration.builder()
                        .withJdbcTemplate(new JdbcTemplate(pool))
                        .usingDbTime()
                        .build()),
                lease,
                pool::close);
    }

    /** The key of this lock in the table of the contender. */
    static String keyOf(String contender, String name) {
        return contender.equals("spring") ? SpringJdbcLocking.keyOf(name) : name;
    }

    /** Returns the contender of this name. */
    Contender named(String name) {
        return all().stream()
                .filter(contender -> contender.name().equals(name))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("There is no contender " + name));
    }

    /** Interlock together with the pool that the application would close. */
    private record WithPool(Locking locking, HikariDataSource pool) implements Locking {
        @Override
        public LockGuard guard(String name) {
            return locking.guard(name);
        }

        @Override
        public LockGuard guardAll(List<String> names) {
            return locking.guardAll(names);
        }

        @Override
        public Runnable hold(String name) {
            return locking.hold(name);
        }

        @Override
        public void close() {
            locking.close();
            pool.close();
        }
    }
}
