package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.FORCED_RELEASE;
import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.PUSHED_GRANTS;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.LossReason;
import dev.interlock.spi.Granted;
import dev.interlock.spi.RenewalAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Store operations for operators and for the engine: snapshots, forced release and the namespace agreement. */
abstract class OperationCases {
    private final TckCase tck;

    OperationCases(TckCase tck) {
        this.tck = tck;
    }

    @Test
    @Requires(INTROSPECTION)
    void snapshotShowsHolderAndItsGrant() {
        StoreProcess process = tck.process();
        Granted held = process.ask(tck.key("a")).leaseFor(TckCase.LONG).granted();
        LockSnapshot lock = process.snapshot("").get(0);
        assertThat(lock.key()).isEqualTo(tck.key("a"));
        assertThat(lock.waiters()).isZero();
        LockSnapshot.Holder holder = lock.holders().get(0);
        assertThat(holder.owner()).isEqualTo(held.grant().owner().toString());
        assertThat(holder.grant()).isEqualTo(held.grant().number());
        assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(holder.permits()).isEqualTo(1);
        assertThat(holder.heldFor()).isBetween(Duration.ZERO, TckCase.LONG);
        assertThat(holder.endsIn()).isBetween(Duration.ZERO, TckCase.LONG);
    }

    @Test
    @Requires({INTROSPECTION, SHARED})
    void snapshotListsSharedHoldersOldestFirst() {
        StoreProcess process = tck.process();
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            numbers.add(process.ask(tck.key("a")).shared().granted().grant().number());
        }
        assertThat(process.snapshot("").get(0).holders())
                .extracting(LockSnapshot.Holder::grant)
                .isEqualTo(numbers);
    }

    @Test
    @Requires({INTROSPECTION, QUEUE})
    void snapshotCountsWaiters() {
        StoreProcess process = tck.process();
        process.ask(tck.key("a")).granted();
        tck.process().ask(tck.key("a")).queueing().queued();
        tck.process().ask(tck.key("a")).queueing().queued();
        assertThat(process.snapshot("").get(0).waiters()).isEqualTo(2);
    }

    @Test
    @Requires(INTROSPECTION)
    void snapshotDoesNotShowAFreeKey() {
        StoreProcess process = tck.process();
        process.release(process.ask(tck.key("a")).granted());
        assertThat(process.snapshot("")).as("snapshot after the release").isEmpty();
    }

    @Test
    @Requires({INTROSPECTION, OWN_EXPIRY})
    void snapshotDoesNotShowAnExpiredHolder() {
        StoreProcess process = tck.process();
        process.ask(tck.key("a")).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        assertThat(process.snapshot("")).as("snapshot after the expiry").isEmpty();
    }

    @Test
    @Requires(INTROSPECTION)
    void snapshotIsPagedInTheOrderOfNames() {
        StoreProcess process = tck.process();
        List<LockKey> keys = IntStream.range(0, 25)
                .mapToObj(i -> tck.key("page-" + i))
                .sorted()
                .toList();
        process.ask(keys).allGranted();
        List<LockKey> seen = new ArrayList<>();
        Optional<String> after = Optional.empty();
        int pages = 0;
        do {
            LockPage page = process.page("tck:page-", after, 10);
            assertThat(page.locks()).hasSizeLessThanOrEqualTo(10);
            page.locks().forEach(lock -> seen.add(lock.key()));
            after = page.next();
            pages++;
        } while (after.isPresent() && pages < 10);
        assertThat(seen).isEqualTo(keys);
    }

    @Test
    @Requires(INTROSPECTION)
    void snapshotFiltersByPrefixAndListsAnExactMatchFirst() {
        StoreProcess process = tck.process();
        List<LockKey> keys =
                List.of(LockKey.of("order"), LockKey.of("order:7"), LockKey.of("order:71"), LockKey.of("ordinal"));
        process.ask(keys).allGranted();
        assertThat(process.snapshot("order")).extracting(LockSnapshot::key).isEqualTo(keys.subList(0, 3));
        assertThat(process.page("order:7", Optional.empty(), 1).locks())
                .extracting(LockSnapshot::key)
                .containsExactly(LockKey.of("order:7"));
        assertThat(process.snapshot("Order"))
                .as("locks with another letter case")
                .isEmpty();
        assertThat(process.snapshot("order_7")).as("locks by an SQL wildcard").isEmpty();
        assertThat(process.snapshot("order%")).as("locks by an SQL wildcard").isEmpty();
        assertThat(process.snapshot("ord*")).as("locks by a glob pattern").isEmpty();
    }

    @Test
    @Requires(FORCED_RELEASE)
    void forcedReleaseFreesTheKeyAndIsReportedToItsHolder() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("a")).granted();
        StoreProcess operator = tck.process();
        assertThat(operator.forceRelease(tck.key("a"))).isEqualTo(1);
        operator.assertFree(tck.key("a"));
        assertThat(holder.renew(held, TckCase.LONG)).isEqualTo(new RenewalAnswer.Gone(LossReason.FORCED));
    }

    @Test
    @Requires({FORCED_RELEASE, QUEUE})
    void forcedReleaseHandsTheKeyToTheNextWaiter() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("a")).granted();
        TckAttempt waiter = tck.process().ask(tck.key("a")).queueing();
        waiter.queued();
        tck.process().forceRelease(tck.key("a"));
        assertThat(waiter.won().grant().number()).isGreaterThan(held.grant().number());
        assertThat(holder.renew(held, TckCase.LONG)).isEqualTo(new RenewalAnswer.Gone(LossReason.FORCED));
        holder.assertNotFree(tck.key("a"));
    }

    @Test
    @Requires({FORCED_RELEASE, QUEUE, PUSHED_GRANTS})
    void forcedReleaseIsPushedToTheNextWaiter() {
        tck.process().ask(tck.key("a")).granted();
        StoreProcess waiting = tck.process();
        waiting.ask(tck.key("a")).queueing().queued();
        tck.process().forceRelease(tck.key("a"));
        tck.until("the grant is pushed", () -> !waiting.pushed().isEmpty());
    }

    @Test
    @Requires({FORCED_RELEASE, SHARED})
    void forcedReleaseEndsAllSharedHolders() {
        StoreProcess process = tck.process();
        process.ask(tck.key("a")).shared().granted();
        process.ask(tck.key("a")).shared().granted();
        assertThat(process.forceRelease(tck.key("a"))).isEqualTo(2);
        process.assertFree(tck.key("a"));
    }

    @Test
    @Requires(FORCED_RELEASE)
    void forcedReleaseOfAFreeKeyChangesNothing() {
        StoreProcess process = tck.process();
        assertThat(process.forceRelease(tck.key("a")))
                .as("holders of a free key")
                .isZero();
        process.assertFree(tck.key("a"));
    }

    @Test
    void namespaceAgreementIsComparedAndSet() {
        StoreProcess one = tck.process();
        StoreProcess other = tck.process();
        assertThat(one.agree("", "v1 a<b")).isEqualTo("v1 a<b");
        assertThat(other.agree("", "v1 b<a")).isEqualTo("v1 a<b");
        assertThat(other.agree("v1 a<b", "v1 a<b<c")).isEqualTo("v1 a<b<c");
        assertThat(one.agree("v1 a<b", "v1 a<b<d")).isEqualTo("v1 a<b<c");
        assertThat(one.agree("v1 a<b<c", "v1 a<b<c")).isEqualTo("v1 a<b<c");
    }

    @Test
    void namespaceAgreementMayBeLongAndInAnyScript() {
        String agreement = "größe 价格 😀 \"'\\{}%".repeat(200);
        assertThat(tck.process().agree("", agreement)).isEqualTo(agreement);
        assertThat(tck.process().agree("", "other")).isEqualTo(agreement);
    }
}
