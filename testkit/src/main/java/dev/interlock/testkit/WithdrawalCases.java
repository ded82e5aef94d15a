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

/** Ending a wait: it is never granted later, and a grant that crossed the withdrawal is told. */
abstract class WithdrawalCases {
    private final TckCase tck;

    WithdrawalCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("withdraw");
    }

    @Test
    @Needs(QUEUE)
    void withdrawnWaiterIsNeverGranted() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        assertThat(waiter.withdraw()).isEmpty();
        holder.release(held);
        assertThat(waiter.keepWaiting()).isEqualTo(new WaitAnswer.Forgotten());
        assertThat(waiter.process().pushed()).isEmpty();
        assertThat(holder.isFree(key())).isTrue();
    }

    @Test
    @Needs(QUEUE)
    void withdrawnWaiterIsPassedOver() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask first = tck.process().ask(key()).queueing();
        Ask second = tck.process().ask(key()).queueing();
        first.queued();
        second.queued();
        first.withdraw();
        second.stillWaits();
        holder.release(held);
        second.won();
    }

    @Test
    @Needs(QUEUE)
    void withdrawalTellsTheGrantThatCrossedItAndLeavesItHeld() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        holder.release(held);
        Granted crossed = waiter.withdraw().get(0);
        assertThat(holder.isFree(key())).isFalse();
        assertThat(waiter.process().renew(crossed, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
        waiter.process().release(crossed);
        assertThat(holder.isFree(key())).isTrue();
    }

    @Test
    void withdrawalOfAnUnknownAttemptAnswersNothing() {
        StoreProcess process = tck.process();
        assertThat(process.ask(key()).withdraw()).isEmpty();
        Granted held = process.ask(key()).granted();
        assertThat(process.ask(key()).withdraw()).isEmpty();
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Needs(QUEUE)
    void withdrawalMayBeRepeated() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        Ask waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        assertThat(waiter.withdraw()).isEmpty();
        assertThat(waiter.withdraw()).isEmpty();
        assertThat(holder.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void repeatedWithdrawalTellsTheSameGrant() {
        Ask ask = tck.process().ask(key());
        Granted granted = ask.granted();
        assertThat(ask.withdraw()).extracting(Granted::grant).containsExactly(granted.grant());
        assertThat(ask.withdraw()).extracting(Granted::grant).containsExactly(granted.grant());
    }

    @Test
    void withdrawalFindsTheGrantsOfAnAttemptWhoseAnswerWasLost() {
        tck.process().ask(tck.key("b")).granted();
        StoreProcess process = tck.process();
        Ask lost = process.ask(tck.key("a"), tck.key("b"), tck.key("c"));
        lost.send();
        List<Granted> found = lost.withdraw();
        assertThat(found).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        process.release(found.get(0));
        assertThat(process.isFree(tck.key("a"))).isTrue();
    }

    @Test
    @Needs(QUEUE)
    void withdrawalOfAQueuedPrefixEndsTheWaitAndTellsThePrefix() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("b")).granted();
        Ask lost = tck.process().ask(tck.key("a"), tck.key("b")).queueing();
        lost.queued();
        assertThat(lost.withdraw()).extracting(one -> one.grant().key()).containsExactly(tck.key("a"));
        holder.release(held);
        assertThat(holder.isFree(tck.key("b"))).isTrue();
    }

    @Test
    @Needs(OWN_EXPIRY)
    void withdrawalTellsWhatIsLeftOfTheLease() {
        Ask ask = tck.process().ask(key()).leaseFor(tck.lease());
        ask.granted();
        tck.time().pass(tck.lease().dividedBy(3));
        assertThat(ask.withdraw())
                .allSatisfy(left -> assertThat(left.lease())
                        .isLessThanOrEqualTo(tck.lease()
                                .minus(tck.lease().dividedBy(3))
                                .plus(tck.capabilities().granularity())));
    }

    @Test
    @Needs(OWN_EXPIRY)
    void withdrawalDoesNotTellAnExpiredGrant() {
        Ask ask = tck.process().ask(key()).leaseFor(tck.lease());
        ask.granted();
        tck.passLease(tck.lease());
        assertThat(ask.withdraw()).isEmpty();
    }

    @Test
    @Needs({QUEUE, SHARED})
    void withdrawnWriterLetsTheReadersBehindItIn() {
        StoreProcess reader = tck.process();
        reader.ask(key()).shared().granted();
        Ask writer = tck.process().ask(key()).queueing();
        Ask later = tck.process().ask(key()).shared().queueing();
        writer.queued();
        later.queued();
        writer.withdraw();
        later.won();
    }
}
