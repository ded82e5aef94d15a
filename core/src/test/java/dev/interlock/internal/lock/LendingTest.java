package dev.interlock.internal.lock;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.LockStore;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * A store may block the thread of a caller that waits for the answer anyway, no other thread, and not longer than it
 * waits.
 */
class LendingTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private List<Duration> mayBlock(Op op) {
        return world.wire.mayBlock(op);
    }

    @Test
    void patientCallerMayBeBlockedForAsLongAsTheStoreHasForAnAnswer() {
        world.locks().with(KEY).waitAtMost(ofSeconds(30)).acquire().close();

        assertThat(mayBlock(Op.ATTEMPT)).containsExactly(ofMillis(1_900));
    }

    @Test
    void callerThatDoesNotWaitForAHolderStillWaitsForTheAnswer() {
        world.locks().with(KEY).tryAcquire().orElseThrow().close();

        assertThat(mayBlock(Op.ATTEMPT)).containsExactly(ofMillis(1_900));
    }

    @Test
    void impatientCallerMayBeBlockedForLess() {
        world.locks().with(KEY).waitAtMost(ofMillis(300)).acquire().close();
        world.locks().with(KEY).waitAtMost(ofMillis(80)).acquire().close();

        assertThat(mayBlock(Op.ATTEMPT)).containsExactly(ofMillis(200), Duration.ZERO);
    }

    @Test
    void callerThatClosesMayBeBlocked() {
        world.locks().acquire(KEY).close();

        assertThat(mayBlock(Op.RELEASE)).hasSize(1).allMatch(limit -> limit.compareTo(ofSeconds(1)) > 0);
    }

    @Test
    void asynchronousCallerIsNotBlocked() {
        Lease lease = TwoProcesses.result(world.locks().with(KEY).acquireAsync());
        var unused = lease.releaseAsync();

        assertThat(mayBlock(Op.ATTEMPT)).containsExactly(Duration.ZERO);
        assertThat(mayBlock(Op.RELEASE)).containsExactly(Duration.ZERO);
    }

    @Test
    void interruptedThreadIsNotBlocked() {
        Lease lease = world.locks().acquire(KEY);
        Thread.currentThread().interrupt();
        lease.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(mayBlock(Op.RELEASE)).containsExactly(Duration.ZERO);
    }

    @Test
    void threadIsLentForOneCallOnly() {
        List<LockKey> keys = IntStream.rangeClosed(0, LockStore.MAX_BATCH)
                .mapToObj(i -> LockKey.of("n", "" + i))
                .toList();
        world.locks().with(keys).acquire().close();

        assertThat(mayBlock(Op.RELEASE)).hasSize(2);
        assertThat(mayBlock(Op.RELEASE).get(0)).isPositive();
        assertThat(mayBlock(Op.RELEASE).get(1)).isZero();
    }

    @Test
    void attemptThatAReleaseStartsForAnotherRequestDoesNotBlock() {
        LockKey other = LockKey.of("other");
        LeaseSet set = world.locks().with(List.of(KEY, other)).acquire();
        var waiting = world.locks().with(KEY).waitAtMost(ofSeconds(30)).acquireAsync();
        mayBlock(Op.ATTEMPT).clear();

        set.close();

        assertThat(TwoProcesses.result(waiting).isHeld()).isTrue();
        assertThat(mayBlock(Op.ATTEMPT)).containsExactly(Duration.ZERO);
    }

    @Test
    void threadIsNotLentAnyMoreAfterTheCall() {
        world.locks().acquire(KEY).close();
        mayBlock(Op.ATTEMPT).clear();

        TwoProcesses.result(world.locks().with(KEY).acquireAsync()).close();

        assertThat(mayBlock(Op.ATTEMPT)).containsExactly(Duration.ZERO);
    }
}
