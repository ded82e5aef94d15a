package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.PUSHED_GRANTS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waiting in the store: order of arrival, hand-over, heartbeats and dead waiters. */
@Requires(Capability.QUEUE)
abstract class QueueCases {
    private final TckCase tck;

    QueueCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("queue");
    }

    private TckAttempt waiter() {
        return tck.process().ask(key()).queueing();
    }

    @Test
    void releaseHandsTheKeyToTheFirstWaiter() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = waiter();
        assertThat(waiter.queued()).isEmpty();
        waiter.stillWaits();
        holder.release(held);
        assertThat(waiter.won().grant().number()).isGreaterThan(held.grant().number());
    }

    @Test
    void waitersAreServedInOrderOfArrival() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        List<TckAttempt> waiters = List.of(waiter(), waiter(), waiter(), waiter());
        waiters.forEach(TckAttempt::queued);
        for (TckAttempt next : waiters) {
            next.stillWaits();
            holder.release(held);
            held = next.won();
        }
    }

    @Test
    void newcomerDoesNotOvertakeTheWaiterThatGetsTheKey() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = waiter();
        waiter.queued();
        holder.release(held);
        tck.process().ask(key()).busy();
        waiter.won();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void newcomerDoesNotOvertakeAWaiterAfterTheHolderExpired() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        TckAttempt waiter = waiter();
        waiter.queued();
        tck.passLease(tck.lease());
        tck.process().ask(key()).busy();
        waiter.won();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void newcomerThatQueuesComesAfterTheWaiterOfAnExpiredHolder() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        TckAttempt waiter = waiter();
        waiter.queued();
        tck.passLease(tck.lease());
        TckAttempt newcomer = waiter();
        newcomer.queued();
        waiter.won();
        newcomer.stillWaits();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void heartbeatHandsOverAfterTheHolderExpired() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        TckAttempt waiter = waiter();
        waiter.queued();
        waiter.stillWaits();
        tck.passLease(tck.lease());
        waiter.won();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void heartbeatOfALaterWaiterGrantsTheFirstOne() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        TckAttempt first = waiter();
        TckAttempt second = waiter();
        first.queued();
        second.queued();
        tck.passLease(tck.lease());
        second.stillWaits();
        first.won();
    }

    @Test
    void heartbeatReturnsTheEarliestTimeOfTheNextOne() {
        tck.process().ask(key()).leaseFor(TckCase.LONG).granted();
        TckAttempt waiter = waiter();
        waiter.queued();
        WaitAnswer answer = waiter.keepWaiting();
        assertThat(answer).isInstanceOf(WaitAnswer.Waiting.class);
        assertThat(((WaitAnswer.Waiting) answer).recheckIn()).isBetween(Duration.ZERO, TckCase.LONG);
    }

    @Test
    void heartbeatOfAnUnknownWaiterReportsItForgotten() {
        assertThat(waiter().keepWaiting()).isEqualTo(new WaitAnswer.Forgotten());
        tck.process().ask(key()).granted();
        assertThat(waiter().keepWaiting()).isEqualTo(new WaitAnswer.Forgotten());
    }

    @Test
    void heartbeatsOfSeveralKeysGetSeparateAnswers() {
        StoreProcess holder = tck.process();
        StoreProcess waiting = tck.process();
        Granted a = holder.ask(tck.key("a")).granted();
        holder.ask(tck.key("b")).granted();
        TckAttempt waitsForA = waiting.ask(tck.key("a")).queueing();
        TckAttempt waitsForB = waiting.ask(tck.key("b")).queueing();
        waitsForA.queued();
        waitsForB.queued();
        holder.release(a);
        PlaceId unknown = waiting.ask(tck.key("c")).place();
        assertThat(waiting.keepWaiting(waitsForB.place(), unknown, waitsForA.place()))
                .extracting(answer -> (Object) answer.getClass())
                .containsExactly(WaitAnswer.Waiting.class, WaitAnswer.Forgotten.class, WaitAnswer.Won.class);
    }

    @Test
    @Requires(PUSHED_GRANTS)
    void grantIsPushedOnlyToTheWaitingProcess() {
        StoreProcess holder = tck.process();
        StoreProcess waiting = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = waiting.ask(key()).queueing();
        waiter.queued();
        holder.release(held);
        tck.until("the grant is pushed", () -> !waiting.pushed().isEmpty());
        assertThat(waiting.pushed())
                .extracting(Granted::grant)
                .containsOnly(waiter.won().grant());
        assertThat(holder.pushed())
                .as("grants pushed to a process that does not wait")
                .isEmpty();
    }

    @Test
    void grantWhosePushIsLostIsFoundByTheHeartbeat() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = waiter();
        waiter.queued();
        holder.release(held);
        Granted found = waiter.won();
        assertThat(waiter.won().grant()).isEqualTo(found.grant());
        assertThat(waiter.process().renew(found, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Requires(OWN_EXPIRY)
    void grantThatItsWaiterNeverTakesUpGoesToTheNextWaiter() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt dies = waiter().heartbeatWithin(tck.lease());
        TckAttempt next = waiter();
        dies.queued();
        next.queued();
        holder.release(held);
        next.stillWaits();
        tck.passLease(tck.lease());
        next.won();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void provisionalLeaseLastsOneHeartbeatUntilItIsRenewed() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = waiter().heartbeatWithin(tck.lease()).leaseFor(TckCase.LONG);
        waiter.queued();
        holder.release(held);
        Granted granted = waiter.won();
        assertThat(granted.lease()).isLessThanOrEqualTo(tck.lease());
        assertThat(holder.renew(granted, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
        tck.passLease(tck.lease());
        holder.assertNotFree(key());
        assertThat(waiter.won().grant()).isEqualTo(granted.grant());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void waiterWithoutHeartbeatsIsSkipped() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt dead = waiter().heartbeatWithin(tck.lease());
        TckAttempt alive = waiter();
        dead.queued();
        alive.queued();
        tck.passLease(tck.lease());
        holder.release(held);
        alive.won();
        assertThat(dead.keepWaiting()).isNotInstanceOf(WaitAnswer.Won.class);
    }

    @Test
    @Requires(OWN_EXPIRY)
    void keyIsFreeAfterAllItsWaitersDied() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        waiter().heartbeatWithin(tck.lease()).queued();
        waiter().heartbeatWithin(tck.lease()).queued();
        tck.passLease(tck.lease());
        holder.release(held);
        holder.assertFree(key());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void heartbeatsKeepAWaiterAlive() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = waiter().heartbeatWithin(tck.lease());
        waiter.queued();
        // Long before the store would give up the waiter: a busy machine may be late by as much as one pause.
        for (int i = 0; i < 8; i++) {
            tck.time().pass(tck.lease().dividedBy(4));
            waiter.stillWaits();
        }
        holder.release(held);
        waiter.won();
    }
}
