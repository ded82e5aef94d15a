package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.PendingLease;
import dev.interlock.support.ScriptedBackend;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicReference;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A queue place belongs to the gate: when its waiter gives up, the next local waiter takes it over. */
class QueuePlaceTest {
    private static final LockKey KEY = LockKey.of("k");

    private TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private PendingLease<Lease> ask() {
        return world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
    }

    @Test
    void sharedWaiterContinuesWhenTheExclusiveWaiterBeforeItEnds() {
        Lease theirs = world.others().acquire(KEY);
        Held answer = world.wire.answerLate(Op.ATTEMPT);
        PendingLease<Lease> exclusive = ask();
        PendingLease<Lease> shared =
                world.locks().with(KEY).shared().waitAtMost(ofMinutes(1)).acquireAsync();
        exclusive.cancel();
        answer.go();

        theirs.close();
        world.advance(1_000);

        assertThat(result(shared).isHeld()).isTrue();
    }

    @Test
    void nextWaiterOfTheSameModeTakesOverThePlace() {
        Lease theirs = world.others().acquire(KEY);
        PendingLease<Lease> first = ask();
        PendingLease<Lease> successor = ask();
        PendingLease<Lease> behind =
                world.others().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
        first.cancel();
        assertThat(world.wire.calls(Op.WITHDRAW)).isZero();

        theirs.close(); // may be passed to the next local waiter there, but not after twenty milliseconds

        world.advance(30);
        if (isGranted(behind)) {
            result(behind).close();
        }
        assertThat(result(successor).isHeld()).isTrue();
    }

    /**
     * A request for several keys that lost one starts again and leaves its place to the next waiter. A grant to that
     * place is not orphaned.
     */
    @Test
    void placeTakenOverFromARequestThatStartsAgainIsNotWithdrawn() {
        LockKey first = LockKey.of("a");
        Lease theirs = world.others().acquire(KEY);
        PendingLease<LeaseSet> both = world.locks()
                .with(List.of(first, KEY))
                .waitAtMost(ofMinutes(1))
                .leaseFor(ofSeconds(3))
                .acquireAsync();
        PendingLease<Lease> successor = ask();
        Held withdrawal = world.wire.delay(Op.WITHDRAW, 1);
        world.theirs.operator().forceRelease(first);
        world.advance(1_500);
        assertThat(withdrawal.size()).isEqualTo(1);
        world.wire.holdPushes();
        theirs.close();
        withdrawal.go();
        Optional<Lease> stolen = world.others().tryAcquire(KEY);
        world.wire.deliverPushes();

        assertThat(stolen).isEmpty();
        Lease lease = result(successor);
        assertThat(lease.isHeld()).isTrue();
        lease.close();
        world.advance(1_000);
        assertThat(result(both).isHeld()).isTrue();
    }

    @Test
    void placeThatNoWaiterTakesOverIsWithdrawn() {
        Lease theirs = world.others().acquire(KEY);
        PendingLease<Lease> only = ask();
        only.cancel();

        assertThat(world.wire.calls(Op.WITHDRAW)).isEqualTo(1);
        theirs.close();
        assertThat(world.others().tryAcquire(KEY)).isPresent();
    }

    @Test
    void polledPlaceTakenOverAfterItsAlarmIsStillPolled() {
        world.close();
        AtomicReference<PendingLease<Lease>> successor = new AtomicReference<>();
        AtomicBoolean seen = new AtomicBoolean();
        world = new TwoProcesses(
                ScriptedBackend::polled,
                options -> options.listener(event -> {
                    if (event instanceof LockEvent.Refused && seen.compareAndSet(false, true)) {
                        world.advance(200); // the alarm rings for a waiter that is leaving
                        successor.set(ask());
                    }
                }));
        Lease theirs = world.others().acquire(KEY);
        PendingLease<Lease> first = ask();
        first.cancel();
        theirs.close();

        world.advance(5_000);

        assertThat(result(successor.get()).isHeld()).isTrue();
    }
}
