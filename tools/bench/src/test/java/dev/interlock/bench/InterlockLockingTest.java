package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.redis.RedisBackend;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

@Tag("server")
class InterlockLockingTest {
    /** More than it takes to open the circuit breaker. */
    private static final int HOLDERS = 16;

    /** Longer than the timeout of a call. */
    private static final Duration STALL = Duration.ofSeconds(3);

    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    /** A server whose disk stalls for two seconds must not make the measurement of held leases fail. It once did. */
    @Test
    void locksAreHeldAfterTheServerStalled() throws Exception {
        Executor eachByItself = task -> new Thread(task).start();
        try (Locking locking = InterlockLocking.leasing(RedisBackend.connect(redis.uri()), Duration.ofSeconds(30))) {
            locking.hold("bench:before").run();
            redis.node().pause();
            List<CompletableFuture<Runnable>> held;
            try {
                held = IntStream.range(0, 2 * HOLDERS)
                        .mapToObj(number -> CompletableFuture.supplyAsync(
                                () -> locking.hold("bench:stalled-" + number),
                                number < HOLDERS
                                        ? eachByItself
                                        // These requests arrive while the circuit breaker is open.
                                        : CompletableFuture.delayedExecutor(
                                                STALL.toMillis(), TimeUnit.MILLISECONDS, eachByItself)))
                        .toList();
                TimeUnit.NANOSECONDS.sleep(STALL.toNanos() + 100_000_000);
            } finally {
                redis.node().resume();
            }
            for (CompletableFuture<Runnable> one : held) {
                assertThat(one.get(20, TimeUnit.SECONDS)).isNotNull();
            }
        }
    }
}
