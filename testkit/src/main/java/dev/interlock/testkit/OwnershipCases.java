package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.RenewalAnswer;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Renewal and release act only on the grant they name, so no process can affect a successor's lock. */
abstract class OwnershipCases {
    private final TckCase tck;

    OwnershipCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("owned");
    }

    private static Grant ofAnotherOwner(Granted granted) {
        OwnerId owner = granted.grant().owner();
        return new Grant(
                granted.grant().key(),
                new OwnerId(owner.incarnation(), owner.attempt() + 1000),
                granted.grant().number());
    }

    private static Grant withNumber(Granted granted, long number) {
        return new Grant(granted.grant().key(), granted.grant().owner(), number);
    }

    @Test
    void releaseFreesTheKeyOnce() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).granted();
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.RELEASED);
        process.assertFree(key());
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.NOT_HELD);
    }

    @Test
    void releaseByANonOwnerChangesNothing() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).granted();
        assertThat(tck.process().release(ofAnotherOwner(held))).isEqualTo(ReleaseAnswer.NOT_HELD);
        process.assertNotFree(key());
    }

    @Test
    void releaseWithAnotherNumberChangesNothing() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).granted();
        long number = held.grant().number();
        assertThat(process.releaseAll(withNumber(held, number - 1), withNumber(held, number + 1)))
                .containsOnly(ReleaseAnswer.NOT_HELD);
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    void batchReleaseDistinguishesAFormerGrantFromTheCurrentOne() {
        StoreProcess process = tck.process();
        Granted former = process.ask(key()).granted();
        process.release(former);
        Granted current = process.ask(key()).granted();
        assertThat(process.releaseAll(former.grant(), current.grant()))
                .containsExactly(ReleaseAnswer.NOT_HELD, ReleaseAnswer.RELEASED);
        process.assertFree(key());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void releaseByFormerHolderLeavesNewLeaseAlone() {
        StoreProcess former = tck.process();
        Granted old = former.ask(key()).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        Granted current = tck.process().ask(key()).granted();
        assertThat(former.release(old)).isEqualTo(ReleaseAnswer.NOT_HELD);
        former.assertNotFree(key());
        assertThat(former.renew(current, TckCase.LONG)).isInstanceOf(RenewalAnswer.Extended.class);
    }

    @Test
    @Requires(OWN_EXPIRY)
    void renewalByFormerHolderLeavesNewLeaseAlone() {
        StoreProcess former = tck.process();
        Granted old = former.ask(key()).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        Granted current =
                tck.process().ask(key()).leaseFor(tck.lease().multipliedBy(2)).granted();
        assertThat(former.renew(old, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        tck.passLease(tck.lease().multipliedBy(2));
        assertThat(former.renew(current, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
    }

    @Test
    void renewalByANonOwnerIsGone() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).granted();
        assertThat(process.renew(ofAnotherOwner(held), TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        assertThat(process.renew(withNumber(held, held.grant().number() - 1), TckCase.LONG))
                .isInstanceOf(RenewalAnswer.Gone.class);
    }

    @Test
    @Requires(OWN_EXPIRY)
    void renewalByANonOwnerExtendsNothing() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).leaseFor(tck.lease()).granted();
        process.renew(ofAnotherOwner(held), TckCase.LONG);
        process.renew(withNumber(held, held.grant().number() - 1), TckCase.LONG);
        tck.passLease(tck.lease());
        process.assertFree(key());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void expiredLeaseIsFree() {
        StoreProcess process = tck.process();
        process.ask(key()).leaseFor(tck.lease()).granted();
        process.assertNotFree(key());
        tck.passLease(tck.lease());
        process.assertFree(key());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void renewalExtends() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).leaseFor(tck.lease()).granted();
        assertThat(process.renew(held, TckCase.LONG))
                .isInstanceOfSatisfying(
                        RenewalAnswer.Extended.class,
                        extended ->
                                assertThat(extended.lease()).isBetween(TckCase.LONG.minusSeconds(10), TckCase.LONG));
        tck.passLease(tck.lease());
        process.assertNotFree(key());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void renewalNeverShortens() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).leaseFor(TckCase.LONG).granted();
        assertThat(process.renew(held, tck.lease()))
                .isInstanceOfSatisfying(
                        RenewalAnswer.Extended.class,
                        extended -> assertThat(extended.lease()).isGreaterThan(TckCase.LONG.dividedBy(2)));
        tck.passLease(tck.lease());
        process.assertNotFree(key());
    }

    @Test
    @Requires(OWN_EXPIRY)
    void expiredLeaseCannotBeRenewedOrReleased() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        assertThat(process.release(held)).isEqualTo(ReleaseAnswer.NOT_HELD);
        process.assertFree(key());
    }

    @Test
    void releasedLeaseCannotBeRenewed() {
        StoreProcess process = tck.process();
        Granted held = process.ask(key()).granted();
        process.release(held);
        assertThat(process.renew(held, TckCase.LONG)).isInstanceOf(RenewalAnswer.Gone.class);
        process.assertFree(key());
    }

    @Test
    void batchRenewalAnswersEachGrantSeparately() {
        StoreProcess process = tck.process();
        List<Granted> three =
                process.ask(tck.key("a"), tck.key("b"), tck.key("c")).allGranted();
        List<Grant> grants = three.stream().map(Granted::grant).toList();
        process.release(three.get(1));
        assertThat(process.renewAll(grants, TckCase.LONG))
                .extracting(answer -> (Object) answer.getClass())
                .containsExactly(RenewalAnswer.Extended.class, RenewalAnswer.Gone.class, RenewalAnswer.Extended.class);
    }

    @Test
    void batchRenewalOfSeveralRequestsAnswersEachSeparately() {
        StoreProcess process = tck.process();
        Granted live = process.ask(tck.key("a")).granted();
        Granted released = process.ask(tck.key("b")).granted();
        process.release(released);
        Granted foreign = process.ask(tck.key("c")).granted();
        Granted former = process.ask(tck.key("d")).granted();
        process.release(former);
        Granted current = process.ask(tck.key("d")).granted();
        List<Grant> grants = List.of(
                current.grant(), live.grant(), released.grant(), former.grant(), ofAnotherOwner(foreign), live.grant());
        assertThat(process.renewAll(grants, TckCase.LONG))
                .extracting(answer -> (Object) answer.getClass())
                .containsExactly(
                        RenewalAnswer.Extended.class,
                        RenewalAnswer.Extended.class,
                        RenewalAnswer.Gone.class,
                        RenewalAnswer.Gone.class,
                        RenewalAnswer.Gone.class,
                        RenewalAnswer.Extended.class);
        process.assertFree(tck.key("b"));
        process.assertNotFree(tck.key("d"));
    }

    @Test
    @Requires(OWN_EXPIRY)
    void batchRenewalExtendsLiveGrantsAndRevivesNoExpiredOne() {
        Duration lease = tck.lease();
        StoreProcess process = tck.process();
        Granted lasting =
                process.ask(tck.key("a")).leaseFor(lease.multipliedBy(3)).granted();
        Granted expired = process.ask(tck.key("b")).leaseFor(lease).granted();
        tck.passLease(lease);
        process.renewAll(List.of(expired.grant(), lasting.grant()), TckCase.LONG);
        tck.passLease(lease.multipliedBy(2));
        process.assertNotFree(tck.key("a"));
        process.assertFree(tck.key("b"));
    }

    @Test
    void batchReleaseAnswersEachGrantSeparately() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        Granted b = process.ask(tck.key("b")).granted();
        Granted c = process.ask(tck.key("c")).granted();
        process.release(b);
        assertThat(process.releaseAll(a.grant(), b.grant(), ofAnotherOwner(c)))
                .containsExactly(ReleaseAnswer.RELEASED, ReleaseAnswer.NOT_HELD, ReleaseAnswer.NOT_HELD);
        process.assertFree(tck.key("a"));
        process.assertNotFree(tck.key("c"));
    }

    @Test
    @Requires(QUEUE)
    void batchReleaseHandsEachKeyToItsNextWaiter() {
        StoreProcess process = tck.process();
        Granted a = process.ask(tck.key("a")).granted();
        Granted b = process.ask(tck.key("b")).granted();
        TckAttempt waitsForA = tck.process().ask(tck.key("a")).queueing();
        TckAttempt waitsForB = tck.process().ask(tck.key("b")).queueing();
        waitsForA.queued();
        waitsForB.queued();
        process.releaseAll(a.grant(), b.grant());
        waitsForA.won();
        waitsForB.won();
    }

    @Test
    void largestBatchWorks() {
        StoreProcess process = tck.process();
        List<LockKey> keys = IntStream.range(0, LockStore.MAX_BATCH)
                .mapToObj(i -> tck.key("batch-" + i))
                .toList();
        List<Grant> grants =
                process.ask(keys).allGranted().stream().map(Granted::grant).toList();
        assertThat(process.renewAll(grants, TckCase.LONG))
                .hasSize(LockStore.MAX_BATCH)
                .hasOnlyElementsOfType(RenewalAnswer.Extended.class);
        assertThat(process.releaseAll(grants.toArray(Grant[]::new)))
                .hasSize(LockStore.MAX_BATCH)
                .containsOnly(ReleaseAnswer.RELEASED);
    }
}
