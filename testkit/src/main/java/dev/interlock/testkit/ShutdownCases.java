package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.InterlockClosedException;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ShutdownReport;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Closing an Interlock: it releases everything, and everything that used it learns of the end. */
abstract class ShutdownCases {
    private static final Duration BUDGET = Duration.ofSeconds(10);

    private final TckCase tck;

    ShutdownCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("closing");
    }

    @Test
    void heldLocksAreReleasedAndReported() {
        StoreProcess other = tck.process();
        Interlock interlock = tck.interlock();
        Lease one = tck.outcome("the lock is acquired", interlock.locks().acquireAsync(key()));
        LeaseSet several = tck.outcome(
                "several locks are had",
                interlock.locks().with(List.of(tck.key("a"), tck.key("b"))).acquireAsync());
        ShutdownReport report = interlock.shutdown(BUDGET);
        assertThat(report.released()).containsExactlyInAnyOrder(key(), tck.key("a"), tck.key("b"));
        assertThat(report.unreleased()).as("locks that were not released").isEmpty();
        assertThat(report.withdrawn()).as("withdrawn waits").isZero();
        assertThat(report.released()).as("locks released by the shutdown").allMatch(other::isFree);
        assertThat(one.isHeld()).as("a lease is held after the shutdown").isFalse();
        assertThat(several.isHeld())
                .as("a lease set is held after the shutdown")
                .isFalse();
    }

    @Test
    void waitsAreWithdrawnAndCounted() {
        tck.process().ask(key()).granted();
        Interlock interlock = tck.interlock();
        PendingLease<Lease> first =
                interlock.locks().with(key()).waitAtMost(TckCase.LONG).acquireAsync();
        PendingLease<Lease> second =
                interlock.locks().with(key()).waitAtMost(TckCase.LONG).acquireAsync();
        tck.time().pass(Duration.ofMillis(20));
        assertThat(interlock.shutdown(BUDGET).withdrawn()).isEqualTo(2);
        for (PendingLease<Lease> ended : List.of(first, second)) {
            assertThatThrownBy(() -> tck.outcome("the wait is over", ended))
                    .isInstanceOf(InterlockClosedException.class);
        }
    }

    @Test
    void useAfterCloseIsRefused() {
        Interlock interlock = tck.interlock();
        Locks locks = interlock.locks();
        interlock.close();
        assertThatThrownBy(() -> locks.acquire(key())).isInstanceOf(InterlockClosedException.class);
        assertThatThrownBy(() -> locks.tryAcquire(key())).isInstanceOf(InterlockClosedException.class);
        assertThatThrownBy(() -> tck.outcome("the request is refused", locks.acquireAsync(key())))
                .isInstanceOf(InterlockClosedException.class);
        tck.process().assertFree(key());
    }

    @Test
    void secondCloseGivesTheSameReport() {
        Interlock interlock = tck.interlock();
        tck.outcome("the lock is acquired", interlock.locks().acquireAsync(key()));
        ShutdownReport report = interlock.shutdown(BUDGET);
        assertThat(interlock.shutdown(BUDGET)).isEqualTo(report);
        interlock.close();
    }

    @Test
    void leaseMayBeClosedAfterItsInterlock() {
        Interlock interlock = tck.interlock();
        Lease lease = tck.outcome("the lock is acquired", interlock.locks().acquireAsync(key()));
        interlock.close();
        lease.close();
        tck.process().assertFree(key());
    }

    @Test
    void otherInterlocksContinue() {
        Interlock closed = tck.interlock();
        Lease lease = tck.interlock().locks().acquire(key());
        closed.close();
        lease.ensureHeld();
        tck.time().pass(tck.lease());
        lease.ensureHeld();
    }
}
