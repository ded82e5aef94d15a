package dev.interlock.redis;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A server that pauses or rejects writes for a while. A frozen server is a case of the fault kit. */
@Tag("full")
@Tag("server")
class ServerFaultTest {
    @Order(1)
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    @Order(2)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(() -> RedisBackend.builder(redis.uri())));

    /** R04 */
    @Test
    void holderDoesNotOutlastTheServerWhenWritesArePaused() {
        LockKey key = run.key("paused");
        CheckedClient client = run.client("one");
        CheckedClient.Held before = client.acquire(run.key("held"));
        RecordedFault paused = run.recorder().faultStarted("writes paused");
        redis.command("CLIENT", "PAUSE", "1500", "WRITE");
        long asked = System.nanoTime();
        CheckedClient.Held held =
                client.acquire(WorkerRequest.of(key, LEASE, ofSeconds(10)).unrenewed());
        Duration waited = Duration.ofNanos(System.nanoTime() - asked);
        long remaining = held.lease().remaining().toMillis();
        long left = Long.parseLong(redis.command("PTTL", "lock:" + key.name()));
        System.out.printf(
                "Writes paused: granted after %d ms, lease %d ms, server %d ms%n", waited.toMillis(), remaining, left);
        assertThat(waited).isGreaterThan(ofSeconds(1));
        paused.acted();
        paused.stopped();
        assertThat(left - remaining)
                .as("how much longer the lock lasts in the server")
                .isGreaterThanOrEqualTo(-50);
        before.lease().ensureHeld();
        held.finish();
        before.finish();
        client.acquire(key).finish();
        run.assertClean("R04 client-pause-write", "writes paused");
    }
}
