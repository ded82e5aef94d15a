package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.PendingLease;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The first keys of a request for several keys can be lost before the others are granted. */
class PrefixLossTest {
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    private TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void holdLostDuringAnAttemptDoesNotBlockTheKeyAfterwards() {
        world.close();
        world = TwoProcesses.polling();
        Lease theirB = world.others().acquire(B);
        PendingLease<LeaseSet> both = world.locks()
                .with(List.of(A, B))
                .waitAtMost(ofSeconds(3))
                .leaseFor(ofMillis(900))
                .acquireAsync();
        Held attempt = world.wire.answerLate(Op.ATTEMPT);
        theirB.close();
        world.advance(100);
        assertThat(attempt.size()).isEqualTo(1);
        world.theirs.operator().forceRelease(A);
        world.advance(400);
        attempt.go();
        world.advance(10);
        if (!isPending(both) && !both.toCompletableFuture().isCompletedExceptionally()) {
            result(both).close();
        }
        world.advance(10_000);

        PendingLease<Lease> later =
                world.locks().with(B).waitAtMost(ofMinutes(1)).acquireAsync();
        world.advance(2_000);

        if (!both.toCompletableFuture().isCompletedExceptionally()) {
            result(both).close();
            world.advance(2_000);
        }
        assertThat(result(later).isHeld()).isTrue();
    }

    @Test
    void requestStartsAgainWithinItsPatience() {
        Lease theirB = world.others().acquire(B);
        PendingLease<LeaseSet> both = world.locks()
                .with(List.of(A, B))
                .waitAtMost(ofSeconds(30))
                .leaseFor(ofSeconds(3))
                .acquireAsync();
        world.theirs.operator().forceRelease(A);
        world.advance(3_000);
        theirB.close();
        world.advance(2_000);

        LeaseSet set = result(both);
        assertThat(set.isHeld()).isTrue();
        assertThat(set.token(A).grant()).isGreaterThan(1);
    }
}
