package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.FORCED_RELEASE;
import static dev.interlock.testkit.Capability.LOCK_DELAY;
import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOperator;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Granted;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** How a lease is renewed, how it ends by itself, and how its holder and its successor learn of it. */
abstract class LossCases {
    private final TckCase tck;

    LossCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("loss");
    }

    private LockRequest<Lease> request() {
        return tck.interlock().locks().with(key()).waitAtMost(TckCase.LONG).leaseFor(tck.lease());
    }

    private void untilLost(Lease lease) {
        tck.until("the lease is lost", () -> lease.lost().toCompletableFuture().isDone());
    }

    @Test
    void lossIsReportedByCallbackFutureAndCheck() {
        Lease lease = request().renew(false).acquire();
        List<LossReason> reasons = new CopyOnWriteArrayList<>();
        lease.onLost(reasons::add);
        lease.ensureHeld();
        tck.passLease(tck.lease());
        tck.until("the callback has run", () -> !reasons.isEmpty());
        assertThat(reasons).containsExactly(LossReason.EXPIRED);
        assertThat(tck.outcome("the future is completed", lease.lost())).isEqualTo(LossReason.EXPIRED);
        assertThat(lease.isHeld()).as("the lost lease is held").isFalse();
        assertThat(lease.remaining()).as("remaining time of the lost lease").isZero();
        assertThatThrownBy(lease::ensureHeld).isInstanceOfSatisfying(LeaseLostException.class, lost -> {
            assertThat(lost.reason()).isEqualTo(LossReason.EXPIRED);
            assertThat(lost.key()).isEqualTo(key());
            assertThat(lost.token()).isEqualTo(lease.token());
        });
        assertThat(lease.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
    }

    @Test
    void callbackRegisteredAfterTheLossRuns() {
        Lease lease = request().renew(false).acquire();
        tck.passLease(tck.lease());
        untilLost(lease);
        List<LossReason> reasons = new CopyOnWriteArrayList<>();
        lease.onLost(reasons::add);
        tck.until("the callback has run", () -> reasons.equals(List.of(LossReason.EXPIRED)));
    }

    @Test
    void closedLeaseIsNeverReportedLost() {
        Lease lease = request().acquire();
        List<LossReason> reasons = new CopyOnWriteArrayList<>();
        lease.onLost(reasons::add);
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(lease.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
        tck.passLease(tck.lease());
        assertThat(reasons).as("losses reported for the closed lease").isEmpty();
        assertThat(lease.lost().toCompletableFuture())
                .as("loss of the closed lease")
                .isNotDone();
        assertThatThrownBy(lease::ensureHeld).isInstanceOf(IllegalStateException.class);
    }

    @Test
    @Requires(OWN_EXPIRY)
    void holderIsNotifiedBeforeAnotherRequestCanHold() {
        Lease lease = request().renew(false).acquire();
        StoreProcess other = tck.process();
        tck.time().pass(tck.lease().multipliedBy(9).dividedBy(10));
        tck.until("another process can acquire the lock", () -> {
            // In this order: if the holder were checked first, its lease could end before the store is checked.
            boolean free = other.isFree(key());
            assertThat(free && lease.isHeld())
                    .as("free in the store while the holder relies on it")
                    .isFalse();
            return free;
        });
        assertThat(lease.isHeld()).as("the expired lease is held").isFalse();
    }

    @Test
    void renewalKeepsALeaseBeyondSeveralLengths() {
        // In real time a busy machine may be late with a renewal, so this lease is longer than leases that are meant to
        // expire.
        Duration length = tck.lease().multipliedBy(4);
        Lease lease = request().leaseFor(length).acquire();
        FencingToken token = lease.token();
        StoreProcess other = tck.process();
        for (int i = 0; i < 3; i++) {
            tck.passLease(length);
            lease.ensureHeld();
            other.assertNotFree(key());
        }
        assertThat(lease.token()).isEqualTo(token);
        assertThat(lease.remaining()).as("remaining time of the renewed lease").isPositive();
        assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        other.assertFree(key());
    }

    @Test
    void explicitRenewalExtendsAFixedLeaseAndNeverShortensIt() {
        Lease lease = request().renew(false).acquire();
        Duration longest = tck.lease().multipliedBy(4);
        assertThat(lease.renew(longest)).isBetween(tck.lease(), longest);
        assertThat(lease.renew(tck.lease().dividedBy(2))).isBetween(tck.lease(), longest);
        tck.passLease(tck.lease());
        lease.ensureHeld();
        tck.passLease(longest);
        untilLost(lease);
        assertThatThrownBy(() -> lease.renew(tck.lease())).isInstanceOf(LeaseLostException.class);
    }

    @Test
    void leaseIsNotRenewedBeyondItsMaximumHold() {
        Lease lease = request().holdAtMost(tck.lease().multipliedBy(2)).acquire();
        tck.passLease(tck.lease());
        lease.ensureHeld();
        tck.passLease(tck.lease());
        untilLost(lease);
        assertThat(tck.outcome("the lease is lost", lease.lost())).isEqualTo(LossReason.HELD_TOO_LONG);
    }

    @Test
    @Requires(FORCED_RELEASE)
    void forcedReleaseIsReportedToTheHolder() {
        LockOperator operator = tck.interlock().operator();
        Lease lease = request().acquire();
        List<LossReason> reasons = new CopyOnWriteArrayList<>();
        lease.onLost(reasons::add);
        assertThat(operator.forceRelease(key())).isEqualTo(1);
        tck.time().pass(tck.lease().dividedBy(2));
        tck.until("the callback has run", () -> !reasons.isEmpty());
        assertThat(reasons).containsExactly(LossReason.FORCED);
        Lease next = request().acquire();
        assertThat(next.token()).isGreaterThan(lease.token());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void lockOfADeadProcessIsTakenOverAfterItsLease() {
        // Connect first: on a slow network that alone may take as long as the lease.
        LockRequest<Lease> request = request();
        Granted dead = tck.process().ask(key()).leaseFor(tck.lease()).granted();
        PendingLease<Lease> pending = request.acquireAsync();
        tck.time().pass(tck.lease().dividedBy(3));
        assertThat(pending.toCompletableFuture())
                .as("wait before the end of the dead process's lease")
                .isNotDone();
        tck.passLease(tck.lease());
        Lease lease = tck.outcome("the lock is taken over", pending);
        assertThat(lease.token().grant()).isGreaterThan(dead.grant().number());
    }

    @Test
    @Requires({QUEUE, OWN_EXPIRY})
    void waiterOfADeadProcessIsSkipped() {
        Lease held = request().acquire();
        tck.process().ask(key()).queueing().heartbeatWithin(tck.lease()).queued();
        PendingLease<Lease> pending = request().acquireAsync();
        held.close();
        tck.passLease(tck.lease());
        Lease lease = tck.outcome("the waiter of the dead process is skipped", pending);
        assertThat(lease.isHeld()).as("the next waiter holds the lock").isTrue();
    }

    @Test
    @Requires({LOCK_DELAY, OWN_EXPIRY})
    void lostLockStaysClosedForItsLockDelay() {
        Duration delay = tck.lease().multipliedBy(2);
        Lease lease = request().renew(false).lockDelay(delay).acquire();
        tck.passLease(tck.lease());
        untilLost(lease);
        lease.close();
        Locks other = tck.interlock().locks();
        assertThat(other.tryAcquire(key())).as("lease during the lock-delay").isEmpty();
        tck.passLease(delay);
        assertThat(other.tryAcquire(key())).as("lease after the lock-delay").isPresent();
    }

    @Test
    void holderWithInterruptOnLossIsInterrupted() {
        LockRequest<Lease> request = request().renew(false).interruptOnLoss();
        CompletableFuture<Lease> holding = new CompletableFuture<>();
        CompletableFuture<Boolean> interrupted = tck.thread(() -> {
            try (Lease lease = request.acquire()) {
                holding.complete(lease);
                TimeUnit.MINUTES.sleep(2);
                return false;
            } catch (InterruptedException expected) {
                return true;
            }
        });
        tck.outcome("the thread holds the lock", holding).ensureHeld();
        tck.passLease(tck.lease());
        assertThat(tck.outcome("the holder is interrupted", interrupted))
                .as("the holder is interrupted")
                .isTrue();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void leaseIsLostAtTheFirstStepAfterALongSuspension() {
        FakeClock clock = tck.assumeClock();
        Lease lease = request().acquire();
        clock.suspend(tck.lease().multipliedBy(2));
        tck.process().assertFree(key());
        assertThatThrownBy(lease::ensureHeld)
                .isInstanceOfSatisfying(
                        LeaseLostException.class,
                        lost -> assertThat(lost.reason()).isEqualTo(LossReason.SUSPENDED));
        untilLost(lease);
    }

    @Test
    void leaseSurvivesAShortSuspension() {
        FakeClock clock = tck.assumeClock();
        Lease lease = request().acquire();
        clock.suspend(tck.lease().dividedBy(2));
        lease.ensureHeld();
        clock.advance(tck.lease().multipliedBy(2));
        lease.ensureHeld();
    }
}
