package dev.interlock.redis;

import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.testkit.servers.RedisServer;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.function.UnaryOperator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** A foreign client that sends the plain commands over Jedis excludes Interlock, and Interlock excludes it. */
@Tag("server")
class ForeignClientTest {
    private static final long LONG_MILLIS = 5_000;

    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @RegisterExtension
    final Processes processes = new Processes();

    private final LockKey key = LockKey.of("x");
    private String namespace;
    private String plainKey;
    private Interlock interlock;
    private ForeignClient foreign;

    @BeforeEach
    void connect() {
        namespace = redis.namespace();
        plainKey = namespace + ":lock:x";
        interlock = open();
        foreign = new ForeignClient(redis.uri(), plainKey);
    }

    private Interlock open() {
        return processes.open(RedisBackend.builder(redis.uri()).namespace(namespace));
    }

    @AfterEach
    void disconnect() {
        foreign.close();
    }

    @Test
    void withoutANamespaceTheKeyIsLockAndTheName() {
        LockKey bare = LockKey.of(namespace);
        try (ForeignClient other = new ForeignClient(redis.uri(), "lock:" + namespace);
                Interlock plain = Interlock.over(RedisBackend.connect(redis.uri()));
                Lease lease = plain.locks().acquire(bare)) {
            assertThat(other.lock(LONG_MILLIS)).isFalse();
            assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
            assertThat(other.lock(LONG_MILLIS)).isTrue();
            assertThat(plain.locks().tryAcquire(bare)).isEmpty();
            other.unlock();
        }
    }

    @Test
    void foreignHolderExcludesEveryMode() {
        assertThat(foreign.lock(LONG_MILLIS)).isTrue();
        for (UnaryOperator<LockRequest<Lease>> mode : modes()) {
            assertThat(mode.apply(interlock.locks().with(key)).tryAcquire()).isEmpty();
        }
        assertThat(foreign.unlock()).as("the value is unchanged").isTrue();
        interlock.locks().acquire(key).close();
    }

    @Test
    void everyModeExcludesTheForeignClientUntilItsLastHolderHasReleased() {
        Interlock second = open();
        for (UnaryOperator<LockRequest<Lease>> mode : modes()) {
            Lease one = mode.apply(interlock.locks().with(key)).acquire();
            Lease two = mode.apply(second.locks().with(key)).tryAcquire().orElse(null);
            assertThat(foreign.lock(LONG_MILLIS)).isFalse();
            assertThat(Long.parseLong(redis.command("PTTL", plainKey))).isPositive();
            one.close();
            if (two != null) {
                assertThat(foreign.lock(LONG_MILLIS))
                        .as("the second holder has it")
                        .isFalse();
                two.close();
            }
            assertThat(foreign.lock(LONG_MILLIS)).isTrue();
            assertThat(foreign.unlock()).isTrue();
        }
    }

    private static List<UnaryOperator<LockRequest<Lease>>> modes() {
        return List.of(
                LockRequest::exclusive,
                LockRequest::shared,
                request -> request.permits(1, 3),
                request -> request.lockDelay(ofMillis(1)));
    }

    @Test
    void foreignHolderIsShownAsUnknown() {
        foreign.lock(LONG_MILLIS);
        LockSnapshot.Holder holder =
                interlock.operator().inspect(key).orElseThrow().holders().get(0);
        assertThat(holder.label()).isEqualTo("unknown");
        assertThat(holder.endsIn()).isBetween(ofSeconds(1), ofMillis(LONG_MILLIS));
        assertThatThrownBy(() ->
                        interlock.locks().with(key).waitAtMost(ofMillis(100)).acquire())
                .isInstanceOf(LockTimeoutException.class);
    }

    @Test
    void lockIsTakenOverWhenTheForeignLeaseExpires() {
        foreign.lock(300);
        assertThat(interlock.locks().tryAcquire(key)).isEmpty();
        interlock.locks().acquire(key).close();
    }

    /** A foreign release sends no push, so waiters poll often enough to notice it soon. */
    @Test
    void foreignReleaseIsNoticedWithin200Milliseconds() throws Exception {
        long[] millis = new long[9];
        for (int i = 0; i < millis.length; i++) {
            assertThat(foreign.lock(30_000)).isTrue();
            PendingLease<Lease> waiting =
                    interlock.locks().with(key).waitAtMost(ofSeconds(10)).acquireAsync();
            await().until(() -> redis.command("LLEN", "{" + plainKey + "}:q").equals("1"));
            long start = System.nanoTime();
            assertThat(foreign.unlock()).isTrue();
            Lease lease = waiting.toCompletableFuture().get(10, TimeUnit.SECONDS);
            millis[i] = TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
            lease.close();
        }
        Arrays.sort(millis);
        System.out.printf("Foreign release noticed after, in ms: %s%n", Arrays.toString(millis));
        assertThat(millis[millis.length / 2])
                .as("median of %s ms", Arrays.toString(millis))
                .isLessThanOrEqualTo(200);
        assertThat(millis[millis.length - 1])
                .as("far from the 30 s of the lease")
                .isLessThan(5_000);
    }

    @Test
    void foreignClientCannotReleaseOurs() {
        foreign.lock(1);
        await().until(() -> redis.command("EXISTS", plainKey).equals("0"));
        Lease lease = interlock.locks().acquire(key);
        assertThat(foreign.unlock()).as("its own lease had ended").isFalse();
        lease.ensureHeld();
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
    }

    @Test
    void releaseByFormerHolderLeavesTheForeignLockAlone() {
        Lease lease =
                interlock.locks().with(key).leaseFor(ofMillis(200)).renew(false).acquire();
        await().until(() -> foreign.lock(LONG_MILLIS));
        assertThat(lease.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
        assertThat(foreign.unlock()).isTrue();
    }

    @Test
    void renewalDoesNotExtendAForeignLock() throws Exception {
        Lease lease = interlock.locks().with(key).leaseFor(ofSeconds(3)).acquire();
        redis.command("DEL", plainKey);
        assertThat(foreign.lock(LONG_MILLIS)).isTrue();
        assertThat(lease.lost().toCompletableFuture().get(10, TimeUnit.SECONDS)).isEqualTo(LossReason.REPLACED);
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(LeaseLostException.class);
        assertThat(Long.parseLong(redis.command("PTTL", plainKey))).isLessThanOrEqualTo(LONG_MILLIS);
        assertThat(foreign.unlock()).isTrue();
    }

    /** A value that resembles ours without its side key belongs to a foreign client. */
    @ParameterizedTest
    @ValueSource(strings = {"shared:1", "permits:1"})
    void sharedValueWithoutItsHolderHashIsForeign(String value) {
        redis.command("SET", plainKey, value, "PX", "60000");
        for (UnaryOperator<LockRequest<Lease>> mode : modes()) {
            assertThat(mode.apply(interlock.locks().with(key)).tryAcquire()).isEmpty();
        }
        assertThat(redis.command("GET", plainKey)).isEqualTo(value);
        redis.command("DEL", plainKey);
        interlock.locks().with(key).waitAtMost(ZERO).shared().acquire().close();
    }

    /** Interlock and foreign clients protect a plain counter that is read and written in two steps. */
    @Test
    void noUpdateIsLostUnderContentionWithForeignClients() throws Exception {
        int rounds = Boolean.getBoolean("interlock.soak") ? 1_000 : 100;
        String counter = namespace + ":plain";
        Interlock second = open();
        List<Callable> workers = List.of(
                () -> ours(interlock, counter),
                () -> ours(interlock, counter),
                () -> ours(second, counter),
                () -> theirs(counter),
                () -> theirs(counter));
        ExecutorService threads = Executors.newFixedThreadPool(workers.size());
        CountDownLatch start = new CountDownLatch(1);
        try {
            List<Future<?>> runs = new ArrayList<>();
            for (Callable worker : workers) {
                runs.add(threads.submit(() -> {
                    start.await();
                    for (int i = 0; i < rounds; i++) {
                        worker.call();
                    }
                    return null;
                }));
            }
            start.countDown();
            for (Future<?> run : runs) {
                run.get(60, TimeUnit.SECONDS);
            }
        } finally {
            threads.shutdownNow();
        }
        assertThat(redis.command("GET", counter)).isEqualTo(Integer.toString(rounds * workers.size()));
    }

    private interface Callable {
        void call() throws Exception;
    }

    private void ours(Interlock process, String counter) {
        process.locks().with(key).waitAtMost(ofSeconds(60)).run(lease -> increment(counter));
    }

    private void theirs(String counter) throws InterruptedException {
        try (ForeignClient other = new ForeignClient(redis.uri(), plainKey)) {
            while (!other.lock(LONG_MILLIS)) {
                TimeUnit.MILLISECONDS.sleep(1); // such clients poll
            }
            increment(counter);
            assertThat(other.unlock()).isTrue();
        }
    }

    private static void increment(String counter) {
        String before = redis.command("GET", counter);
        redis.command("SET", counter, Integer.toString(before.isEmpty() ? 1 : Integer.parseInt(before) + 1));
    }
}
