package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.spi.Attempt;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Several keys in one request. */
class LeaseSetTest {
    private final TwoProcesses world = TwoProcesses.with(options -> options.releaseWithin(ofMillis(50)));
    private final Locks locks = world.locks();

    @AfterEach
    void close() {
        world.close();
    }

    private final LockKey a = LockKey.of("a");
    private final LockKey b = LockKey.of("b");
    private final LockKey c = LockKey.of("c");

    @Test
    void keysAreSortedAndDeduplicatedInOneCall() {
        LeaseSet set = locks.with(List.of(c, a, b, a)).acquire();

        assertThat(set.keys()).containsExactly(a, b, c);
        assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(1);
        assertThat(((Attempt) world.wire.arguments(Op.ATTEMPT).get(0)).claims())
                .extracting(claim -> claim.key())
                .containsExactly(a, b, c);
        assertThat(set.token(a)).isLessThan(set.token(b));
        assertThat(set.of(b).key()).isEqualTo(b);
        assertThat(set.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(world.others().with(List.of(a, b, c)).tryAcquire()).isPresent();
    }

    @Test
    void allOrNone() {
        world.others().acquire(c);

        assertThat(locks.with(List.of(a, b, c)).tryAcquire()).isEmpty();

        assertThat(world.others().with(a).tryAcquire()).isPresent();
        assertThat(world.others().with(b).tryAcquire()).isPresent();
    }

    @Test
    void prefixIsRenewedDuringTheWaitAndTheSetHasItsFullLength() {
        Lease theirs = world.others().acquire(c);
        PendingLease<LeaseSet> asked = locks.with(List.of(a, b, c))
                .leaseFor(ofSeconds(3))
                .renew(false)
                .waitAtMost(ofSeconds(20))
                .acquireAsync();
        world.advance(10_000);
        assertThat(world.others().tryAcquire(a)).isEmpty();

        theirs.close();

        assertThat(result(asked).remaining()).isGreaterThan(ofSeconds(2));
        assertThat(world.others().tryAcquire(a)).isEmpty();
    }

    @Test
    void waitThatTimesOutReleasesThePrefix() {
        world.others().acquire(c);
        PendingLease<LeaseSet> asked =
                locks.with(List.of(a, c)).waitAtMost(ofSeconds(2)).acquireAsync();

        world.advance(2_000);

        assertThat(failure(asked)).isInstanceOf(LockTimeoutException.class).hasMessageContaining("and 1 more");
        assertThat(world.others().tryAcquire(a)).isPresent();
    }

    @Test
    void leasesOfASetCannotBeReleasedSeparately() {
        LeaseSet set = locks.with(List.of(a, b)).acquire();

        assertThatThrownBy(() -> set.of(a).release())
                .isInstanceOf(UnsupportedOperationException.class)
                .hasMessageContaining("release the lease set");
        assertThatThrownBy(() -> set.of(a).releaseAsync()).isInstanceOf(UnsupportedOperationException.class);
        set.of(a).close();
        assertThat(set.isHeld()).isTrue();
        assertThat(set.of(a).isHeld()).isTrue();
        assertThatThrownBy(() -> set.of(c))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("not in this lease set");
    }

    @Test
    void lossOfOneKeyIsTheLossOfAll() {
        LeaseSet set = locks.with(List.of(a, b)).acquire();
        List<LossReason> reported = new ArrayList<>();
        set.of(b).onLost(reported::add);
        world.theirs.operator().forceRelease(a);

        world.advance(11_000);

        assertThat(reported).containsExactly(LossReason.FORCED);
        assertThat(set.of(b).isHeld()).isFalse();
        assertThat(world.others().tryAcquire(b)).isPresent();
    }

    @Test
    void storeIsNotCalledWhileALocalRequestBlocksTheSet() {
        Held slow = world.wire.answerLate(Op.ATTEMPT);
        PendingLease<Lease> first = locks.acquireAsync(b);
        PendingLease<LeaseSet> set =
                locks.with(List.of(a, b, c)).waitAtMost(ofSeconds(20)).acquireAsync();
        assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(1);
        slow.go();
        assertThat(isPending(set)).isTrue();
        assertThat(locks.tryAcquire(a)).hasValueSatisfying(Lease::close);

        result(first).close();

        assertThat(result(set).keys()).containsExactly(a, b, c);
        assertThat(((Attempt) world.wire.arguments(Op.ATTEMPT).get(2)).claims()).hasSize(3);
    }

    @Test
    void setThatWasOvertakenOftenEnoughKeepsItsGates() {
        List<Lease> held = new ArrayList<>(List.of(result(locks.acquireAsync(a))));
        PendingLease<LeaseSet> set =
                locks.with(List.of(a, b, c)).waitAtMost(ofMinutes(5)).acquireAsync();
        for (int i = 0; i < 16; i++) {
            // Whenever the key that it waits for is free, the other one is busy.
            held.add(result(locks.acquireAsync(i % 2 == 0 ? c : a)));
            held.remove(0).close();
            assertThat(isPending(set)).isTrue();
        }
        assertThat(locks.tryAcquire(b))
                .as("a key whose gate the set does not keep")
                .hasValueSatisfying(Lease::close);
        held.add(result(locks.acquireAsync(c)));
        held.remove(0).close();

        assertThat(locks.tryAcquire(a)).isEmpty();
        assertThat(locks.tryAcquire(b)).isEmpty();
        assertThat(isPending(set)).isTrue();
        held.remove(0).close();
        result(set).close();
        assertThat(locks.tryAcquire(a)).hasValueSatisfying(Lease::close);
    }

    @Test
    void nextSetIsSentWithoutWaitingForTheAnswerOfARelease() {
        LeaseSet first = locks.with(List.of(a, b)).acquire();
        PendingLease<LeaseSet> next =
                locks.with(List.of(b, c)).waitAtMost(ofMinutes(5)).acquireAsync();
        Held answer = world.wire.answerLate(Op.RELEASE);

        first.releaseAsync();

        assertThat(result(next).isHeld()).isTrue();
        answer.go();
        assertThat(result(next).isHeld()).isTrue();
    }

    @Test
    void setThatOvertakesAnEarlierReleaseStillGetsItsKeys() {
        LeaseSet first = locks.with(List.of(a, b)).acquire();
        PendingLease<LeaseSet> next =
                locks.with(List.of(b, c)).waitAtMost(ofMinutes(5)).acquireAsync();
        Held release = world.wire.delay(Op.RELEASE, 1);

        first.releaseAsync();

        assertThat(isPending(next)).isTrue();
        release.go();
        assertThat(result(next).keys()).containsExactly(b, c);
    }

    @Test
    void endedSetLeavesTheGatesThatItKept() {
        List<Lease> held = new ArrayList<>(List.of(result(locks.acquireAsync(a))));
        PendingLease<LeaseSet> set =
                locks.with(List.of(a, b, c)).waitAtMost(ofMinutes(5)).acquireAsync();
        for (int i = 0; i < 17; i++) {
            held.add(result(locks.acquireAsync(i % 2 == 0 ? c : a)));
            held.remove(0).close();
        }
        assertThat(locks.tryAcquire(b)).isEmpty();
        PendingLease<Lease> behind = locks.with(b).waitAtMost(ofMinutes(5)).acquireAsync();

        assertThat(set.cancel()).isTrue();

        result(behind).close();
        held.remove(0).close();
        assertThat(locks.with(List.of(a, b, c)).tryAcquire()).isPresent();
    }
}
