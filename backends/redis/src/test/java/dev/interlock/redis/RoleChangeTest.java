package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Grant;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.history.RecordedAttempt;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.history.Recorder;
import dev.interlock.testkit.servers.RedisReplicated;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.ResourceClient;
import dev.interlock.testkit.workers.WriterIdentity;
import java.time.Duration;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** A primary that is demoted and promoted again while one of its clients is idle. */
@Tag("full")
@Tag("server")
class RoleChangeTest {
    @Order(1)
    @RegisterExtension
    final RedisReplicated redis = RedisReplicated.own();

    @Order(2)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(
            () -> RedisBackend.builder("redis://" + redis.primary().address())));

    /** A grant taken below the engine, recorded as the engine would record it. */
    private record Taken(RecordedAttempt attempt, Grant grant) {}

    private Taken take(BareProcess process, String name, LockKey key) {
        long asked = System.nanoTime();
        RecordedAttempt attempt = run.recorder().acquire(key.name(), Recorder.hash(name), BareProcess.LONG.toNanos());
        Grant grant = process.take(key).grant();
        attempt.granted(grant.number(), asked + BareProcess.LONG.toNanos());
        return new Taken(attempt, grant);
    }

    /** Reads and writes with the grant number as token. Returns whether the write was accepted. */
    private boolean update(Taken taken) {
        RecordedAttempt attempt = taken.attempt();
        String key = taken.grant().key().name();
        WriterIdentity identity =
                new WriterIdentity(attempt.id(), attempt.owner(), taken.grant().number());
        try (ResourceClient resource = run.workers().fenced().connect()) {
            long base = resource.raise(key, identity).value();
            attempt.write(base, attempt.id());
            boolean accepted = resource.write(key, identity, base, attempt.id()).accepted();
            if (accepted) {
                attempt.writeAccepted(base, attempt.id());
            } else {
                attempt.writeRefused(base, attempt.id());
            }
            return accepted;
        }
    }

    private static void release(BareProcess process, Taken taken) {
        taken.attempt().release();
        assertThat(process.release(taken.grant())).isEqualTo(ReleaseAnswer.RELEASED);
        taken.attempt().released();
    }

    @Test
    void tokensGrowAcrossADemotionThatAnIdleClientMissed() throws Exception {
        ServerNode one = redis.primary();
        ServerNode two = redis.replica();
        LockKey key = run.key("a");
        try (BareProcess idle = new BareProcess(RedisBackend.connect("redis://" + one.address()))) {
            Taken before = take(idle, "idle", key);
            assertThat(update(before)).isTrue();
            release(idle, before);
            // Fail over to the second. The first never receives the second's writes, and then becomes primary again.
            RecordedFault demoted = run.recorder().faultStarted("demotion");
            redis.command(two, "REPLICAOF", "NO", "ONE");
            redis.command(one, "CONFIG", "SET", "masterauth", "wrong");
            redis.command(one, "REPLICAOF", two.host(), Integer.toString(two.port()));
            Taken granted;
            try (BareProcess other = new BareProcess(RedisBackend.connect("redis://" + two.address()))) {
                granted = take(other, "other", key);
                assertThat(update(granted)).isTrue();
            }
            demoted.acted();
            // No visible state shows when the idle client notices the demotion. It checks once a second.
            CheckedRun.pass(Duration.ofSeconds(3));
            two.kill();
            redis.command(one, "REPLICAOF", "NO", "ONE");
            Taken next = Awaitility.await()
                    .atMost(Duration.ofSeconds(10))
                    .ignoreExceptions()
                    .until(() -> take(idle, "idle", key), taken -> true);
            assertThat(next.grant().number()).isGreaterThan(granted.grant().number());
            assertThat(update(next)).isTrue();
            assertThat(update(granted)).as("stale write").isFalse();
            demoted.stopped();
            release(idle, next);
            run.assertClean(
                    "R08 old-primary-returns to an idle client",
                    expected -> expected.injecting("demotion").exclusivityMayBreakIn("demotion"));
        }
    }
}
