package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.FORCED_RELEASE;
import static dev.interlock.testkit.Capability.NO_QUEUE;
import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.RenewalAnswer;
import java.time.Duration;
import java.util.List;
import org.junit.jupiter.api.Test;

/** One attempt: what it takes, what it leaves, and that asking again gives the same answer. */
abstract class AttemptCases {
    private final TckCase tck;

    AttemptCases(TckCase tck) {
        this.tck = tck;
    }

    @Test
    void freeKeyIsGrantedForTheWholeLease() {
        Granted granted = tck.process().ask(tck.key("a")).leaseFor(TckCase.LONG).granted();
        assertThat(granted.lease())
                .isBetween(TckCase.LONG.minus(tck.capabilities().granularity()).minusSeconds(10), TckCase.LONG);
    }

    @Test
    void busyKeyIsNotGrantedAndNamesItsHolder() {
        LockKey key = tck.key("a");
        Granted held = tck.process().ask(key).leaseFor(TckCase.LONG).granted();
        AttemptAnswer answer = tck.process().ask(key).send();
        assertThat(answer).isInstanceOf(AttemptAnswer.Busy.class);
        AttemptAnswer.Busy busy = (AttemptAnswer.Busy) answer;
        assertThat(busy.granted()).isEmpty();
        assertThat(busy.obstacle().key()).isEqualTo(key);
        assertThat(busy.obstacle().recheckIn()).isBetween(Duration.ZERO, TckCase.LONG);
        busy.obstacle().holder().ifPresent(holder -> {
            assertThat(holder.grant()).isEqualTo(held.grant().number());
            assertThat(holder.owner()).isEqualTo(held.grant().owner().toString());
        });
    }

    @Test
    void attemptThatDoesNotQueueLeavesNoWaiter() {
        LockKey key = tck.key("a");
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key).granted();
        tck.process().ask(key).busy();
        holder.release(held);
        assertThat(holder.isFree(key)).isTrue();
    }

    @Test
    @Needs(NO_QUEUE)
    void storeWithoutQueueAnswersBusyEvenIfAskedToQueue() {
        LockKey key = tck.key("a");
        tck.process().ask(key).granted();
        assertThat(tck.process().ask(key).queueing().busy()).isEmpty();
    }

    @Test
    void sameAttemptAgainGivesTheSameGrant() {
        Ask ask = tck.process().ask(tck.key("a"));
        Granted first = ask.granted();
        assertThat(ask.granted().grant()).isEqualTo(first.grant());
        assertThat(ask.granted().grant()).isEqualTo(first.grant());
    }

    @Test
    void oneReleaseEndsWhatARepeatedAttemptWasGranted() {
        StoreProcess process = tck.process();
        Ask ask = process.ask(tck.key("a"));
        ask.granted();
        process.release(ask.granted());
        assertThat(process.isFree(tck.key("a"))).isTrue();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void sameAttemptAgainTellsWhatIsLeftAndExtendsNothing() {
        Duration part = tck.lease().dividedBy(3);
        Ask ask = tck.process().ask(tck.key("a")).leaseFor(tck.lease());
        Granted first = ask.granted();
        tck.time().pass(part);
        // On a slow machine the lease may be over by now, and this one another grant.
        if (ask.send() instanceof AttemptAnswer.All all
                && all.granted().get(0).grant().equals(first.grant())) {
            assertThat(all.granted().get(0).lease())
                    .isLessThanOrEqualTo(
                            tck.lease().minus(part).plus(tck.capabilities().granularity()));
        }
        tck.passLease(tck.lease().minus(part));
        assertThat(tck.process().isFree(tck.key("a"))).isTrue();
    }

    @Test
    @Needs(QUEUE)
    void sameAttemptAgainKeepsItsPlaceInTheQueue() {
        LockKey key = tck.key("a");
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key).granted();
        Ask first = tck.process().ask(key).queueing();
        Ask second = tck.process().ask(key).queueing();
        first.queued();
        second.queued();
        first.queued();
        holder.release(held);
        first.won();
        second.stillWaits();
    }

    @Test
    @Needs(QUEUE)
    void sameAttemptAgainFindsTheGrantItWasHandedMeanwhile() {
        LockKey key = tck.key("a");
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key).granted();
        Ask waiter = tck.process().ask(key).queueing();
        waiter.queued();
        holder.release(held);
        Granted found = waiter.granted();
        assertThat(waiter.won().grant()).isEqualTo(found.grant());
    }

    @Test
    void severalFreeKeysAreGrantedInOneAnswer() {
        List<Granted> granted =
                tck.process().ask(tck.key("a"), tck.key("b"), tck.key("c")).allGranted();
        assertThat(granted)
                .extracting(one -> one.grant().key())
                .containsExactly(tck.key("a"), tck.key("b"), tck.key("c"));
    }

    @Test
    void attemptStopsAtTheFirstBusyKeyAndKeepsThePrefix() {
        tck.process().ask(tck.key("b")).granted();
        StoreProcess process = tck.process();
        Ask ask = process.ask(tck.key("a"), tck.key("b"), tck.key("c"));
        assertThat(ask.busy()).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        assertThat(process.isFree(tck.key("a"))).isFalse();
        assertThat(process.isFree(tck.key("c"))).isTrue();
    }

    @Test
    @Needs(QUEUE)
    void attemptQueuesAtTheFirstBusyKeyOnly() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("b")).granted();
        Ask several =
                tck.process().ask(tck.key("a"), tck.key("b"), tck.key("c")).queueing();
        List<Granted> prefix = several.queued();
        assertThat(prefix).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        holder.release(held);
        assertThat(holder.isFree(tck.key("b"))).isFalse();
        assertThat(holder.isFree(tck.key("c"))).isTrue();

        List<Granted> all = several.allGranted();
        assertThat(all.get(0).grant()).isEqualTo(prefix.get(0).grant());
    }

    @Test
    @Needs(OWN_EXPIRY)
    void heldGrantsAreExtendedByTheNextAttempt() {
        Duration lease = tck.lease();
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).leaseFor(lease).granted();
        Ask next = process.ask(tck.key("b")).holding(StoreProcess.renewal(a.grant(), TckCase.LONG));
        next.granted();
        tck.passLease(lease);
        assertThat(process.renew(a, lease)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void attemptWithoutItsHeldGrantTakesNothing() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        Granted b = process.ask(tck.key("b")).granted();
        process.release(b);
        Ask next = process.ask(tck.key("c"))
                .holding(StoreProcess.renewal(a.grant(), TckCase.LONG), StoreProcess.renewal(b.grant(), TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("b")));
        assertThat(process.isFree(tck.key("c"))).isTrue();
        assertThat(process.renew(a, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Needs(OWN_EXPIRY)
    void expiredHeldGrantIsGone() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        Ask next = process.ask(tck.key("b")).holding(StoreProcess.renewal(a.grant(), TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("a")));
        assertThat(process.isFree(tck.key("a"))).isTrue();
        assertThat(process.isFree(tck.key("b"))).isTrue();
    }

    @Test
    @Needs(FORCED_RELEASE)
    void heldGrantThatSomebodyElseHasNowIsGone() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        tck.process().forceRelease(tck.key("a"));
        Granted successor = tck.process().ask(tck.key("a")).granted();
        Ask next = process.ask(tck.key("b")).holding(StoreProcess.renewal(a.grant(), TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("a")));
        assertThat(process.renew(successor, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void heldGrantWithAnOldNumberIsGone() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        Grant older = new Grant(a.grant().key(), a.grant().owner(), a.grant().number() - 1);
        Ask next = process.ask(tck.key("b")).holding(StoreProcess.renewal(older, TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("a")));
        assertThat(process.isFree(tck.key("b"))).isTrue();
    }
}
