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

/** The time for which a lock stays closed to everyone after it was lost, and only then. */
@Needs({LOCK_DELAY, OWN_EXPIRY})
abstract class LockDelayCases {
    private final TckCase tck;

    LockDelayCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("delay");
    }

    private Ask ask(StoreProcess process) {
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
        assertThat(process.isFree(key())).isFalse();
        tck.passLease(delay());
        assertThat(process.isFree(key())).isTrue();
    }

    @Test
    void releasedLockIsOpenAtOnce() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.RELEASED);
        assertThat(process.isFree(key())).isTrue();
    }

    @Test
    void releaseAfterTheLossDoesNotOpenIt() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        tck.passLease(tck.lease());
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.NOT_HELD);
        assertThat(process.isFree(key())).isFalse();
    }

    @Test
    void lostLockCannotBeRenewedDuringTheDelay() {
        StoreProcess process = tck.process();
        Granted held = ask(process).granted();
        tck.passLease(tck.lease());
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        tck.passLease(delay());
        assertThat(process.isFree(key())).isTrue();
    }

    @Test
    void lostLockIsNotGrantedAgainDuringTheDelay() {
        Ask ask = ask(tck.process());
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
        assertThat(process.isFree(key())).isFalse();
        tck.passLease(delay());
        assertThat(process.isFree(key())).isTrue();
    }

    @Test
    @Needs(QUEUE)
    void waiterIsServedAfterTheDelay() {
        ask(tck.process()).granted();
        Ask waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        tck.passLease(tck.lease());
        waiter.stillWaits();
        tck.passLease(delay());
        waiter.won();
    }
}
