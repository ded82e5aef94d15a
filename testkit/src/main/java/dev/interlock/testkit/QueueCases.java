package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.PUSHED_GRANTS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import dev.interlock.spi.Place;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Waiting inside the store: order of arrival, hand-over, heartbeats and waiters that have died. */
@Needs(Capability.QUEUE)
abstract class QueueCases {
    private final TckCase tck;

    QueueCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("queue");
    }

    private Ask waiter() {
        return tck.process().ask(key()).queueing();
    }

    @Test
    void releaseHandsTheKeyToTheFirstWaiter() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = waiter();
        assertThat(waiter.queued()).isEmpty();
        waiter.stillWaits();
        holder.release(held);
        assertThat(waiter.won().grant().number()).isGreaterThan(held.grant().number());
    }

    @Test
    void waitersAreServedInOrderOfArrival() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        List<Ask> waiters = List.of(waiter(), waiter(), waiter(), waiter());
        waiters.forEach(Ask::queued);
        for (Ask next : waiters) {
            next.stillWaits();
            holder.release(held);
            held = next.won();
        }
    }

    @Test
    void newcomerDoesNotOvertakeTheWaiterThatIsHandedTheKey() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = waiter();
        waiter.queued();
        holder.release(held);
        tck.process().ask(key()).busy();
        waiter.won();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void newcomerDoesNotOvertakeAWaiterAfterTheHolderExpired() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        Ask waiter = waiter();
        waiter.queued();
        tck.passLease(tck.lease());
        tck.process().ask(key()).busy();
        waiter.won();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void newcomerThatQueuesComesAfterTheWaiterOfAnExpiredHolder() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        Ask waiter = waiter();
        waiter.queued();
        tck.passLease(tck.lease());
        Ask newcomer = waiter();
        newcomer.queued();
        waiter.won();
        newcomer.stillWaits();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void heartbeatHandsOverAfterTheHolderExpired() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        Ask waiter = waiter();
        waiter.queued();
        waiter.stillWaits();
        tck.passLease(tck.lease());
        waiter.won();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void heartbeatOfALaterWaiterGrantsTheFirstOne() {
        tck.process().ask(key()).leaseFor(tck.lease()).granted();
        Ask first = waiter();
        Ask second = waiter();
        first.queued();
        second.queued();
        tck.passLease(tck.lease());
        second.stillWaits();
        first.won();
    }

    @Test
    void heartbeatTellsWhenToAskAgainAtTheEarliest() {
        tck.process().ask(key()).leaseFor(TckCase.LONG).granted();
        Ask waiter = waiter();
        waiter.queued();
        WaitAnswer answer = waiter.keepWaiting();
        assertThat(answer).isInstanceOf(WaitAnswer.Waiting.class);
        assertThat(((WaitAnswer.Waiting) answer).recheckIn()).isBetween(Duration.ZERO, TckCase.LONG);
    }

    @Test
    void heartbeatOfAnUnknownWaiterIsForgotten() {
        assertThat(waiter().keepWaiting()).isEqualTo(new WaitAnswer.Forgotten());
        tck.process().ask(key()).granted();
        assertThat(waiter().keepWaiting()).isEqualTo(new WaitAnswer.Forgotten());
    }

    @Test
    void heartbeatsOfSeveralKeysAreAnsweredEachByItself() {
        StoreProcess holder = tck.process();
        StoreProcess waiting = tck.process();
        Granted a = holder.ask(tck.key("a")).granted();
        holder.ask(tck.key("b")).granted();
        Ask waitsForA = waiting.ask(tck.key("a")).queueing();
        Ask waitsForB = waiting.ask(tck.key("b")).queueing();
        waitsForA.queued();
        waitsForB.queued();
        holder.release(a);
        Place unknown = waiting.ask(tck.key("c")).place();
        assertThat(waiting.keepWaiting(waitsForB.place(), unknown, waitsForA.place()))
                .extracting(answer -> (Object) answer.getClass())
                .containsExactly(WaitAnswer.Waiting.class, WaitAnswer.Forgotten.class, WaitAnswer.Won.class);
    }

    @Test
    @Needs(PUSHED_GRANTS)
    void grantIsPushedToTheProcessThatWaitsAndToNoOther() {
        StoreProcess holder = tck.process();
        StoreProcess waiting = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = waiting.ask(key()).queueing();
        waiter.queued();
        holder.release(held);
        tck.until("the grant is pushed", () -> !waiting.pushed().isEmpty());
        assertThat(waiting.pushed())
                .extracting(Granted::grant)
                .containsOnly(waiter.won().grant());
        assertThat(holder.pushed()).isEmpty();
    }

    @Test
    void grantWhosePushIsLostIsFoundByTheHeartbeat() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = waiter();
        waiter.queued();
        holder.release(held);
        Granted found = waiter.won();
        assertThat(waiter.won().grant()).isEqualTo(found.grant());
        assertThat(waiter.process().renew(found, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Needs(OWN_EXPIRY)
    void grantThatItsWaiterNeverClaimsGoesToTheNextOne() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask dies = waiter().heardWithin(tck.lease());
        Ask next = waiter();
        dies.queued();
        next.queued();
        holder.release(held);
        next.stillWaits();
        tck.passLease(tck.lease());
        next.won();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void grantThatIsHandedOverLastsOneHeartbeatUntilItIsRenewed() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = waiter().heardWithin(tck.lease()).leaseFor(TckCase.LONG);
        waiter.queued();
        holder.release(held);
        Granted granted = waiter.won();
        assertThat(granted.lease()).isLessThanOrEqualTo(tck.lease());
        assertThat(holder.renew(granted, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
        tck.passLease(tck.lease());
        assertThat(holder.isFree(key())).isFalse();
        assertThat(waiter.won().grant()).isEqualTo(granted.grant());
    }

    @Test
    @Needs(OWN_EXPIRY)
    void waiterThatWasNotHeardOfIsSkipped() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask dead = waiter().heardWithin(tck.lease());
        Ask alive = waiter();
        dead.queued();
        alive.queued();
        tck.passLease(tck.lease());
        holder.release(held);
        alive.won();
        assertThat(dead.keepWaiting()).isNotInstanceOf(WaitAnswer.Won.class);
    }

    @Test
    @Needs(OWN_EXPIRY)
    void waitersThatHaveAllDiedLeaveTheKeyFree() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        waiter().heardWithin(tck.lease()).queued();
        waiter().heardWithin(tck.lease()).queued();
        tck.passLease(tck.lease());
        holder.release(held);
        assertThat(holder.isFree(key())).isTrue();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void heartbeatsKeepAWaiterAlive() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = waiter().heardWithin(tck.lease());
        waiter.queued();
        // Long before it would be given up: a busy machine may be late by as much as a pause.
        for (int i = 0; i < 8; i++) {
            tck.time().pass(tck.lease().dividedBy(4));
            waiter.stillWaits();
        }
        holder.release(held);
        waiter.won();
    }
}
