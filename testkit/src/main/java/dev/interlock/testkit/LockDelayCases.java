package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.LOCK_DELAY;
import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** The lock-delay: after a loss, and only then, the lock stays closed for this time. */
@Requires({LOCK_DELAY, OWN_EXPIRY})
abstract class LockDelayCases {
    private final TckCase tck;

    LockDelayCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("delay");
    }

    private TckAttempt ask(StoreProcess process) {
        return process.ask(key()).leaseFor(tck.lease()).lockDelay(delay());
    }

    private Duration delay() {
        return tck.lease().multipliedBy(2);
    }

    @Test
    void lostLockStaysClosedForTheDelayAndThenOpens() {
        StoreProcess process = tck.process();
        ask(process).granted();
        tck.passLease(tck.lease());
        process.assertNotFree(key());
        tck.passLease(delay());
        process.assertFree(key());
    }

    @Test
    void releasedLockIsOpenAtOnce() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.RELEASED);
        process.assertFree(key());
    }

    @Test
    void releaseAfterTheLossDoesNotOpenIt() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        tck.passLease(tck.lease());
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.NOT_HELD);
        process.assertNotFree(key());
    }

    @Test
    void lostLockCannotBeRenewedDuringTheDelay() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        tck.passLease(tck.lease());
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        tck.passLease(delay());
        process.assertFree(key());
    }

    @Test
    void lostLockIsNotGrantedAgainDuringTheDelay() {
        TckAttempt ask = ask(tck.process());
        ask.granted();
        tck.passLease(tck.lease());
        assertThat(ask.withdraw()).isEmpty();
        assertThat(ask.busy()).isEmpty();
    }

    @Test
    void delayCountsFromTheLastRenewal() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        tck.time().pass(tck.lease().dividedBy(2));
        process.answer(process.store().renew(List.of(new Renewal(held.grant(), tck.lease(), delay()))));
        tck.passLease(tck.lease());
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        process.assertNotFree(key());
        tck.passLease(delay());
        process.assertFree(key());
    }

    @Test
    @Requires(QUEUE)
    void waiterIsServedAfterTheDelay() {
        ask(tck.process()).granted();
        TckAttempt waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        tck.passLease(tck.lease());
        waiter.stillWaits();
        tck.passLease(delay());
        waiter.won();
    }
}
