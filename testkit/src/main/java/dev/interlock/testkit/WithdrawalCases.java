package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.WaitAnswer;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Withdrawal ends a wait: it is never granted later, and a grant that crossed the withdrawal is returned. */
abstract class WithdrawalCases {
    private final TckCase tck;

    WithdrawalCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("withdraw");
    }

    @Test
    @Requires(QUEUE)
    void withdrawnWaiterIsNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        assertThat(waiter.withdraw()).as("grants of the withdrawn waiter").isEmpty();
        holder.release(held);
        assertThat(waiter.keepWaiting()).isEqualTo(new WaitAnswer.Forgotten());
        assertThat(waiter.process().pushed())
                .as("grants pushed after the withdrawal")
                .isEmpty();
        holder.assertFree(key());
    }

    @Test
    @Requires(QUEUE)
    void withdrawnWaiterIsPassedOver() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt first = tck.process().ask(key()).queueing();
        TckAttempt second = tck.process().ask(key()).queueing();
        first.queued();
        second.queued();
        first.withdraw();
        second.stillWaits();
        holder.release(held);
        second.won();
    }

    @Test
    @Requires(QUEUE)
    void withdrawalReturnsTheGrantThatCrossedItAndLeavesItHeld() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        holder.release(held);
        Granted crossed = waiter.withdraw().get(0);
        holder.assertNotFree(key());
        assertThat(waiter.process().renew(crossed, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
        waiter.process().release(crossed);
        holder.assertFree(key());
    }

    @Test
    void withdrawalOfAnUnknownAttemptReturnsNothing() {
        StoreProcess process = tck.process();
        assertThat(process.ask(key()).withdraw())
                .as("grants of an unknown attempt")
                .isEmpty();
        Granted held = process.ask(key()).granted();
        assertThat(process.ask(key()).withdraw())
                .as("grants of an unknown attempt of a holder")
                .isEmpty();
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Requires(QUEUE)
    void withdrawalMayBeRepeated() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        assertThat(waiter.withdraw()).as("grants of the withdrawn waiter").isEmpty();
        assertThat(waiter.withdraw()).as("grants of the waiter withdrawn again").isEmpty();
        assertThat(holder.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void repeatedWithdrawalReturnsTheSameGrant() {
        TckAttempt ask = tck.process().ask(key());
        Granted granted = ask.granted();
        assertThat(ask.withdraw()).extracting(Granted::grant).containsExactly(granted.grant());
        assertThat(ask.withdraw()).extracting(Granted::grant).containsExactly(granted.grant());
    }

    @Test
    void withdrawalFindsTheGrantsOfAnAttemptWhoseAnswerWasLost() {
        tck.process().ask(tck.key("b")).granted();
        StoreProcess process = tck.process();
        TckAttempt lost = process.ask(tck.key("a"), tck.key("b"), tck.key("c"));
        lost.send();
        List<Granted> found = lost.withdraw();
        assertThat(found).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        process.release(found.get(0));
        process.assertFree(tck.key("a"));
    }

    @Test
    @Requires(QUEUE)
    void withdrawalOfAQueuedAttemptEndsTheWaitAndReturnsItsPrefix() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("b")).granted();
        TckAttempt lost = tck.process().ask(tck.key("a"), tck.key("b")).queueing();
        lost.queued();
        assertThat(lost.withdraw()).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        holder.release(held);
        holder.assertFree(tck.key("b"));
    }

    @Test
    @Requires(OWN_EXPIRY)
    void withdrawalReturnsTheRemainingLease() {
        TckAttempt ask = tck.process().ask(key()).leaseFor(tck.lease());
        ask.granted();
        tck.time().pass(tck.lease().dividedBy(3));
        assertThat(ask.withdraw())
                .allSatisfy(left -> assertThat(left.lease())
                        .isLessThanOrEqualTo(tck.lease()
                                .minus(tck.lease().dividedBy(3))
                                .plus(tck.capabilities().granularity())));
    }

    @Test
    @Requires(OWN_EXPIRY)
    void withdrawalDoesNotReturnAnExpiredGrant() {
        TckAttempt ask = tck.process().ask(key()).leaseFor(tck.lease());
        ask.granted();
        tck.passLease(tck.lease());
        assertThat(ask.withdraw()).as("grants of an expired attempt").isEmpty();
    }

    @Test
    @Requires({QUEUE, SHARED})
    void withdrawnWriterLetsTheReadersBehindItProceed() {
        StoreProcess reader = tck.process();
        reader.ask(key()).shared().granted();
        TckAttempt writer = tck.process().ask(key()).queueing();
        TckAttempt later = tck.process().ask(key()).shared().queueing();
        writer.queued();
        later.queued();
        writer.withdraw();
        later.won();
    }
}
