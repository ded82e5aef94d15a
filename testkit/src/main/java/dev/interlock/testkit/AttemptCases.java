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

/** One attempt: what it acquires, what it leaves alone, and that a repeated attempt gets the same answer. */
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
    void attemptWithoutEnqueueLeavesNoWaiter() {
        LockKey key = tck.key("a");
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key).granted();
        tck.process().ask(key).busy();
        holder.release(held);
        holder.assertFree(key);
    }

    @Test
    @Requires(NO_QUEUE)
    void storeWithoutQueueAnswersBusyToAQueueingAttempt() {
        LockKey key = tck.key("a");
        tck.process().ask(key).granted();
        assertThat(tck.process().ask(key).queueing().busy()).isEmpty();
    }

    @Test
    void repeatedAttemptReturnsTheSameGrant() {
        TckAttempt ask = tck.process().ask(tck.key("a"));
        Granted first = ask.granted();
        assertThat(ask.granted().grant()).isEqualTo(first.grant());
        assertThat(ask.granted().grant()).isEqualTo(first.grant());
    }

    @Test
    void oneReleaseEndsTheGrantOfARepeatedAttempt() {
        StoreProcess process = tck.process();
        TckAttempt ask = process.ask(tck.key("a"));
        ask.granted();
        process.release(ask.granted());
        process.assertFree(tck.key("a"));
    }

    @Test
    @Requires(OWN_EXPIRY)
    void repeatedAttemptReturnsTheRemainingLeaseAndExtendsNothing() {
        Duration part = tck.lease().dividedBy(3);
        TckAttempt ask = tck.process().ask(tck.key("a")).leaseFor(tck.lease());
        Granted first = ask.granted();
        tck.time().pass(part);
        // On a slow machine the lease may have ended by now, so that this is another grant.
        if (ask.send() instanceof AttemptAnswer.All all
                && all.granted().get(0).grant().equals(first.grant())) {
            assertThat(all.granted().get(0).lease())
                    .isLessThanOrEqualTo(
                            tck.lease().minus(part).plus(tck.capabilities().granularity()));
        }
        tck.passLease(tck.lease().minus(part));
        tck.process().assertFree(tck.key("a"));
    }

    @Test
    @Requires(QUEUE)
    void repeatedAttemptKeepsItsQueuePlace() {
        LockKey key = tck.key("a");
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key).granted();
        TckAttempt first = tck.process().ask(key).queueing();
        TckAttempt second = tck.process().ask(key).queueing();
        first.queued();
        second.queued();
        first.queued();
        holder.release(held);
        first.won();
        second.stillWaits();
    }

    @Test
    @Requires(QUEUE)
    void repeatedAttemptReturnsTheGrantThatWasHandedOverInBetween() {
        LockKey key = tck.key("a");
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key).granted();
        TckAttempt waiter = tck.process().ask(key).queueing();
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
        TckAttempt ask = process.ask(tck.key("a"), tck.key("b"), tck.key("c"));
        assertThat(ask.busy()).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        process.assertNotFree(tck.key("a"));
        process.assertFree(tck.key("c"));
    }

    @Test
    @Requires(QUEUE)
    void attemptQueuesAtTheFirstBusyKeyOnly() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("b")).granted();
        TckAttempt several =
                tck.process().ask(tck.key("a"), tck.key("b"), tck.key("c")).queueing();
        List<Granted> prefix = several.queued();
        assertThat(prefix).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        holder.release(held);
        holder.assertNotFree(tck.key("b"));
        holder.assertFree(tck.key("c"));

        List<Granted> all = several.allGranted();
        assertThat(all.get(0).grant()).isEqualTo(prefix.get(0).grant());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void heldGrantsAreExtendedByTheNextAttempt() {
        Duration lease = tck.lease();
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).leaseFor(lease).granted();
        TckAttempt next = process.ask(tck.key("b")).holding(StoreProcess.renewal(a.grant(), TckCase.LONG));
        next.granted();
        tck.passLease(lease);
        assertThat(process.renew(a, lease)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void attemptWhoseHeldGrantIsGoneAcquiresNothing() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        Granted b = process.ask(tck.key("b")).granted();
        process.release(b);
        TckAttempt next = process.ask(tck.key("c"))
                .holding(StoreProcess.renewal(a.grant(), TckCase.LONG), StoreProcess.renewal(b.grant(), TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("b")));
        process.assertFree(tck.key("c"));
        assertThat(process.renew(a, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Requires(OWN_EXPIRY)
    void expiredHeldGrantIsGone() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        TckAttempt next = process.ask(tck.key("b")).holding(StoreProcess.renewal(a.grant(), TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("a")));
        process.assertFree(tck.key("a"));
        process.assertFree(tck.key("b"));
    }

    @Test
    @Requires(FORCED_RELEASE)
    void heldGrantThatAnotherProcessHoldsNowIsGone() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        tck.process().forceRelease(tck.key("a"));
        Granted successor = tck.process().ask(tck.key("a")).granted();
        TckAttempt next = process.ask(tck.key("b")).holding(StoreProcess.renewal(a.grant(), TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("a")));
        assertThat(process.renew(successor, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void heldGrantWithAnOldNumberIsGone() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        Grant older = new Grant(a.grant().key(), a.grant().owner(), a.grant().number() - 1);
        TckAttempt next = process.ask(tck.key("b")).holding(StoreProcess.renewal(older, TckCase.LONG));
        assertThat(next.send()).isEqualTo(new AttemptAnswer.HeldGone(tck.key("a")));
        process.assertFree(tck.key("b"));
    }
}
