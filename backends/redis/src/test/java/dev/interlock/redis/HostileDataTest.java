package dev.interlock.redis;

import static java.nio.charset.StandardCharsets.ISO_8859_1;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.PendingLease;
import dev.interlock.testkit.servers.RedisServer;
import java.net.URI;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;
import redis.clients.jedis.Pipeline;
import redis.clients.jedis.StreamEntryID;
import redis.clients.jedis.Transaction;
import redis.clients.jedis.params.SetParams;

/**
 * X25, X26: what a foreign client has written to our keys is rejected with a message that names the key. No call hangs
 * or loops, and other locks of the same process are not affected.
 */
@Timeout(60)
@Tag("full")
@Tag("server")
class HostileDataTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @RegisterExtension
    final Processes processes = new Processes();

    private final LockKey key = LockKey.of("x");
    private final LockKey other = LockKey.of("other");
    private String namespace;
    private String plainKey;
    private Jedis attacker;
    private final AtomicInteger renewals = new AtomicInteger();
    private Interlock interlock;

    @BeforeEach
    void connect() {
        namespace = redis.namespace();
        plainKey = namespace + ":lock:x";
        attacker = new Jedis(URI.create(redis.uri()));
        interlock = processes.open(RedisBackend.builder(redis.uri()).namespace(namespace), event -> {
            if (event instanceof LockEvent.Renewed && event.keys().contains(other)) {
                renewals.incrementAndGet();
            }
        });
    }

    private Interlock open() {
        return processes.open(RedisBackend.builder(redis.uri()).namespace(namespace));
    }

    @AfterEach
    void disconnect() {
        attacker.close();
    }

    private String side(String name) {
        return "{" + plainKey + "}:" + name;
    }

    /** Values of every type, most of which are wrong for any key. */
    private enum Planted {
        TEXT,
        LIST,
        HASH,
        SET,
        SORTED_SET,
        STREAM;

        /** In a transaction: a heartbeat between the two commands would queue the waiter again and repair the key. */
        void put(Jedis attacker, String key) {
            try (Transaction transaction = attacker.multi()) {
                transaction.del(key);
                switch (this) {
                    case TEXT -> transaction.set(key, "planted");
                    case LIST -> transaction.rpush(key, "planted");
                    case HASH -> transaction.hset(key, "planted", "planted");
                    case SET -> transaction.sadd(key, "planted");
                    case SORTED_SET -> transaction.zadd(key, 1, "planted");
                    case STREAM -> transaction.xadd(key, StreamEntryID.NEW_ENTRY, Map.of("a", "b"));
                }
                transaction.exec();
            }
        }
    }

    private void assertOtherLocksWork() {
        try (Lease lease =
                interlock.locks().with(other).waitAtMost(ofSeconds(5)).acquire()) {
            lease.ensureHeld();
        }
    }

    @ParameterizedTest
    @EnumSource(value = Planted.class, names = "TEXT", mode = EnumSource.Mode.EXCLUDE)
    void wrongTypeAtTheLockIsRefusedByName(Planted planted) {
        planted.put(attacker, plainKey);
        for (LockMode mode : LockMode.values()) {
            assertThatThrownBy(() -> acquire(mode, ofMillis(500)).close())
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("\"x\"");
        }
        assertThatThrownBy(() ->
                        interlock.locks().with(List.of(key, other)).acquire().close())
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("\"x\"");
        assertThat(interlock.operator().inspect(key)).isEmpty();
        assertOtherLocksWork();
        attacker.del(plainKey);
        interlock.locks().acquire(key).close();
    }

    private Lease acquire(LockMode mode, Duration patience) {
        var request = interlock.locks().with(key).waitAtMost(patience);
        return switch (mode) {
            case EXCLUSIVE -> request.acquire();
            case SHARED -> request.shared().acquire();
            case PERMITS -> request.permits(1, 2).acquire();
        };
    }

    /** The side keys and values of a wrong type for them; {@code d} is only read during a lock-delay. */
    @ParameterizedTest
    @CsvSource({"q, TEXT", "q, HASH", "s, TEXT", "s, LIST", "w, TEXT", "w, LIST", "f, TEXT", "d, LIST"})
    void wrongTypeAtASideKeyIsRefusedByNameOrIgnored(String side, Planted planted) {
        planted.put(attacker, side(side));
        for (LockMode mode : LockMode.values()) {
            try (Lease lease = acquire(mode, ofSeconds(2))) {
                lease.ensureHeld();
                assertThat(lease.renew(ofSeconds(20))).isPositive();
            } catch (LockRefusedException refused) {
                assertThat(refused).hasMessageContaining("\"x\"");
            }
        }
        try (Lease shown = interlock.locks().acquire(other)) {
            assertThat(interlock.operator().list("", Optional.empty(), 10).locks())
                    .anyMatch(lock ->
                            lock.key().equals(shown.key()) && lock.holders().size() == 1);
        }
        attacker.del(side(side));
        interlock.locks().acquire(key).close();
    }

    /** One call renews the leases of several locks. Locks that cannot be renewed must not cost the other leases. */
    @Test
    void corruptLocksDoNotCostOtherLeases() throws Exception {
        Lease healthy = interlock.locks().with(other).leaseFor(ofSeconds(3)).acquire();
        List<Lease> corrupt = new ArrayList<>();
        for (String where : List.of("d", "f", "lock", "s")) {
            LockKey name = LockKey.of("x-" + where);
            corrupt.add(interlock
                    .locks()
                    .with(name)
                    .leaseFor(ofSeconds(3))
                    .lockDelay(ofMillis(1))
                    .acquire());
            String lock = plainKey + "-" + where;
            switch (where) {
                case "lock" -> Planted.LIST.put(attacker, lock);
                case "d" -> Planted.LIST.put(attacker, "{" + lock + "}:d");
                default -> {
                    attacker.set(lock, "shared:7");
                    Planted.TEXT.put(attacker, "{" + lock + "}:" + where);
                }
            }
        }
        Lease shared = interlock
                .locks()
                .with(LockKey.of("y"))
                .leaseFor(ofSeconds(3))
                .shared()
                .acquire();
        for (Lease lease : corrupt) {
            lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS);
        }
        int before = renewals.get();
        await().atMost(ofSeconds(10)).until(() -> renewals.get() >= before + 2);
        healthy.ensureHeld();
        shared.ensureHeld();
        healthy.close();
        shared.close();
    }

    /** One call sends the heartbeats of all waiters of a process. */
    @ParameterizedTest
    @CsvSource({"q, TEXT", "w, TEXT", "lock, LIST"})
    void corruptQueueDoesNotStopOtherWaiters(String where, Planted planted) throws Exception {
        try (ForeignClient one = new ForeignClient(redis.uri(), plainKey);
                ForeignClient two = new ForeignClient(redis.uri(), namespace + ":lock:other")) {
            one.lock(60_000);
            two.lock(60_000);
            PendingLease<Lease> corrupt =
                    interlock.locks().with(key).waitAtMost(ofSeconds(20)).acquireAsync();
            PendingLease<Lease> healthy =
                    interlock.locks().with(other).waitAtMost(ofSeconds(20)).acquireAsync();
            await().until(() ->
                    attacker.llen("{" + namespace + ":lock:other}:q") == 1 && attacker.llen(side("q")) == 1);
            planted.put(attacker, where.equals("lock") ? plainKey : side(where));
            two.unlock();
            healthy.toCompletableFuture().get(1, TimeUnit.SECONDS).close();
            assertThat(corrupt.toCompletableFuture())
                    .failsWithin(ofSeconds(5))
                    .withThrowableThat()
                    .havingCause()
                    .isInstanceOf(LockRefusedException.class)
                    .withMessageContaining("\"x\"");
        }
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "planted",
                "-5",
                "",
                "1e3",
                " 7",
                "123456789012345678901234567890",
                "9007199254740993",
                "9223372036854775807"
            })
    void corruptCounterIsRepairedOrRefusedAndTokensNeverFall(String value) {
        String counter = namespace + ":interlock:counter";
        long before;
        try (Lease lease = interlock.locks().acquire(other)) {
            before = lease.token().grant();
        }
        attacker.set(counter, value);
        Interlock second = openOrNot();
        for (Interlock process : List.of(interlock, second)) {
            try (Lease lease =
                    process.locks().with(key).waitAtMost(ofMillis(500)).acquire()) {
                assertThat(lease.token().grant()).isGreaterThan(before).isLessThanOrEqualTo((1L << 53) - 1);
            } catch (LockRefusedException refused) {
                assertThat(refused).hasMessageContaining(counter);
            }
        }
        attacker.del(counter);
        for (Interlock process : List.of(interlock, second, open())) {
            try (Lease lease = process.locks().acquire(key)) {
                assertThat(lease.token().grant())
                        .as("after %s was removed", counter)
                        .isGreaterThan(before);
                before = lease.token().grant();
            }
        }
    }

    private Interlock openOrNot() {
        try {
            return open();
        } catch (LockRefusedException refused) {
            assertThat(refused).hasMessageContaining(namespace + ":interlock:counter");
            return interlock;
        }
    }

    @Test
    void wrongTypeAtTheCounterIsRefusedByName() {
        String counter = namespace + ":interlock:counter";
        Planted.HASH.put(attacker, counter);
        assertThatThrownBy(() -> interlock.locks().acquire(key).close())
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining(counter);
        assertThatThrownBy(this::open).isInstanceOf(LockRefusedException.class).hasMessageContaining(counter);
        attacker.del(counter);
        interlock.locks().acquire(key).close();
    }

    @Test
    void wrongTypeAtTheAgreementIsRefusedByName() {
        Planted.LIST.put(attacker, namespace + ":interlock:agreement");
        assertThatThrownBy(this::open)
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining(namespace + ":interlock:agreement");
    }

    @Test
    void binaryValueAtTheLockIsAForeignHolder() {
        byte[] junk = new byte[256];
        for (int i = 0; i < junk.length; i++) {
            junk[i] = (byte) i;
        }
        attacker.set(plainKey.getBytes(ISO_8859_1), junk, new SetParams().px(60_000));
        assertHeldUntilDeleted();
    }

    /** Resembles what Interlock writes, so that it is parsed. */
    @ParameterizedTest
    @ValueSource(
            strings = {
                "a/1#1#-#1#planted",
                "a/99999999999999999999#1#-##planted",
                "a/1#123456789012345678901234567890#-##planted",
                "a/1#1#-#123456789012345678901234567890#planted",
                "//1#1#-##planted",
                "a/1#1#D##planted",
                "%%/1#0#-##\u0000\u001b[31m",
                "shared:99999999999999999999",
                "permits:1"
            })
    void valueThatResemblesOursIsAHolderUntilItIsDeleted(String value) {
        attacker.set(plainKey, value, new SetParams().px(60_000));
        assertHeldUntilDeleted();
    }

    private void assertHeldUntilDeleted() {
        assertThat(interlock.locks().tryAcquire(key)).isEmpty();
        assertThatThrownBy(() -> acquire(LockMode.EXCLUSIVE, ofMillis(300)).close())
                .isInstanceOf(LockTimeoutException.class);
        assertThat(interlock.operator().inspect(key)).isPresent();
        assertThat(interlock.operator().list("", Optional.empty(), 10).locks()).hasSize(1);
        assertOtherLocksWork();
        attacker.del(plainKey);
        acquire(LockMode.EXCLUSIVE, ofSeconds(5)).close();
    }

    /** A lock without an expiry is not polled more often than any other. */
    @Test
    void lockWithoutExpiryIsPolledSlowly() {
        attacker.set(plainKey, "a/1#1#-##planted");
        long before = calls();
        assertThatThrownBy(() -> acquire(LockMode.EXCLUSIVE, ofSeconds(2)).close())
                .isInstanceOf(LockTimeoutException.class);
        assertThat(calls() - before).as("script calls in two seconds").isLessThan(100);
    }

    private long calls() {
        return attacker.info("commandstats")
                .lines()
                .filter(line -> line.startsWith("cmdstat_evalsha:calls="))
                .mapToLong(line -> Long.parseLong(line.substring(line.indexOf('=') + 1, line.indexOf(','))))
                .sum();
    }

    @ParameterizedTest
    @ValueSource(
            strings = {"planted", "99#1#1#1#1", "1#99999999999999999999#99999999999999999999#1#1#x", "1#1#1#-1#1#x"})
    void invalidSharedHoldersAreRemovedOrExpire(String value) {
        attacker.set(plainKey, "shared:5", new SetParams().px(1_000));
        attacker.hset(side("s"), "@", "5");
        attacker.hset(side("s"), "a/1", value);
        attacker.pexpire(side("s"), 1_000L);
        interlock.locks().with(key).leaseFor(ofSeconds(1)).shared().acquire().close();
        acquire(LockMode.EXCLUSIVE, ofSeconds(10)).close();
        assertOtherLocksWork();
    }

    /** X26 */
    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void hugeQueueOfDeadWaitersIsSkippedInBoundedTime(boolean withClaims) {
        int dead = withClaims && !Boolean.getBoolean("interlock.soak") ? 10_000 : 100_000;
        try (Pipeline pipeline = attacker.pipelined()) {
            for (int i = 0; i < dead; i++) {
                pipeline.rpush(side("q"), "a/" + i);
                if (withClaims) {
                    pipeline.hset(side("w"), "t:a/" + i, "1");
                    pipeline.hset(side("w"), "c:a/" + i, "E 1 1 30000 0 2000 0 channel label");
                }
            }
        }
        long start = System.nanoTime();
        PendingLease<Lease> waiting =
                interlock.locks().with(key).waitAtMost(ofSeconds(40)).acquireAsync();
        long longest = 0;
        while (!waiting.toCompletableFuture().isDone()) {
            long asked = System.nanoTime();
            assertOtherLocksWork();
            longest = Math.max(longest, System.nanoTime() - asked);
        }
        waiting.toCompletableFuture().join().close();
        System.out.printf(
                "Behind %d dead waiters: %d ms; another lock took at most %d ms%n",
                dead, millisSince(start), TimeUnit.NANOSECONDS.toMillis(longest));
        assertThat(attacker.exists(plainKey, side("q"), side("w"))).isZero();
    }

    private static long millisSince(long startNanos) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - startNanos);
    }

    @Test
    void hugeNumberOfHoldersAndWaitersIsListedInBoundedTime() {
        try (Pipeline pipeline = attacker.pipelined()) {
            for (int i = 0; i < 20_000; i++) {
                pipeline.rpush(side("q"), "a/" + i);
            }
        }
        assertThat(interlock.operator().list("", Optional.empty(), 10).locks()).isEmpty();
        assertThat(interlock.operator().forceRelease(key)).isZero();
    }
}
