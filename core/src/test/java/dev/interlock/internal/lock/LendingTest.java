package dev.interlock.internal.lock;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A store that blocks may use the thread of a caller who waits anyway, and no other, and not for longer than the caller waits. */
class LendingTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();
    private final List<Duration> taken = new ArrayList<>();

    LendingTest() {
        // A store that never asks is never lent a thread.
        world.wire.context().takeThread();
    }

    @AfterEach
    void close() {
        world.close();
    }

    /** The store takes the thread in its next call of this kind. */
    private void take(Op op) {
        world.wire.next(op, call -> {
            taken.add(world.wire.context().takeThread());
            return call.get();
        });
    }

    @Test
    void patientCallerLendsItsThreadForAsLongAsTheStoreHasForAnAnswer() {
        take(Op.ATTEMPT);
        world.locks().with(KEY).waitAtMost(ofSeconds(30)).acquire().close();

        assertThat(taken).containsExactly(ofMillis(1_900));
    }

    @Test
    void callerWhoDoesNotWaitForAHolderStillWaitsForTheAnswer() {
        take(Op.ATTEMPT);
        world.locks().with(KEY).tryAcquire().orElseThrow().close();

        assertThat(taken).containsExactly(ofMillis(1_900));
    }

    @Test
    void impatientCallerLendsItForLess() {
        take(Op.ATTEMPT);
        world.locks().with(KEY).waitAtMost(ofMillis(300)).acquire().close();
        take(Op.ATTEMPT);
        world.locks().with(KEY).waitAtMost(ofMillis(80)).acquire().close();

        assertThat(taken).containsExactly(ofMillis(200), Duration.ZERO);
    }

    @Test
    void oneWhoCloses() {
        take(Op.RELEASE);
        world.locks().acquire(KEY).close();

        assertThat(taken).hasSize(1).allMatch(limit -> limit.compareTo(ofSeconds(1)) > 0);
    }

    @Test
    void nobodyWaitsForAnAsynchronousCall() {
        take(Op.ATTEMPT);
        take(Op.RELEASE);
        Lease lease = TwoProcesses.result(world.locks().with(KEY).acquireAsync());
        var unused = lease.releaseAsync();

        assertThat(taken).containsExactly(Duration.ZERO, Duration.ZERO);
    }

    @Test
    void interruptedThreadIsNotLent() {
        Lease lease = world.locks().acquire(KEY);
        take(Op.RELEASE);
        Thread.currentThread().interrupt();
        lease.close();

        assertThat(Thread.interrupted()).isTrue();
        assertThat(taken).containsExactly(Duration.ZERO);
    }

    @Test
    void threadIsTakenOnce() {
        world.wire.next(Op.ATTEMPT, call -> {
            taken.add(world.wire.context().takeThread());
            taken.add(world.wire.context().takeThread());
            return call.get();
        });
        world.locks().acquire(KEY).close();

        assertThat(taken.get(0)).isPositive();
        assertThat(taken.get(1)).isZero();
    }

    /** The store need not take it for the release. */
    @Test
    void whatAReleaseSetsGoingForOthersDoesNotHaveIt() {
        LockKey other = LockKey.of("other");
        LeaseSet set = world.locks().with(List.of(KEY, other)).acquire();
        var waiting = world.locks().with(KEY).waitAtMost(ofSeconds(30)).acquireAsync();
        take(Op.ATTEMPT);

        set.close();

        assertThat(TwoProcesses.result(waiting).isHeld()).isTrue();
        assertThat(taken).containsExactly(Duration.ZERO);
    }

    @Test
    void threadIsItsOwnAgainAfterTheCall() {
        world.locks().acquire(KEY).close();

        assertThat(world.wire.context().takeThread()).isZero();
    }
}
