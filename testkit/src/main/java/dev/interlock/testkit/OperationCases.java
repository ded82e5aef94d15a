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

/** What operators and the engine itself ask of a store: pictures, forced release and the namespace's terms. */
abstract class OperationCases {
    private final TckCase tck;

    OperationCases(TckCase tck) {
        this.tck = tck;
    }

    @Test
    @Needs(INTROSPECTION)
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
    @Needs({INTROSPECTION, SHARED})
    void snapshotShowsHoldersThatShareOldestFirst() {
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
    @Needs({INTROSPECTION, QUEUE})
    void snapshotCountsWaiters() {
        StoreProcess process = tck.process();
        process.ask(tck.key("a")).granted();
        tck.process().ask(tck.key("a")).queueing().queued();
        tck.process().ask(tck.key("a")).queueing().queued();
        assertThat(process.snapshot("").get(0).waiters()).isEqualTo(2);
    }

    @Test
    @Needs(INTROSPECTION)
    void snapshotShowsNothingThatIsFree() {
        StoreProcess process = tck.process();
        process.release(process.ask(tck.key("a")).granted());
        assertThat(process.snapshot("")).isEmpty();
    }

    @Test
    @Needs({INTROSPECTION, OWN_EXPIRY})
    void snapshotDoesNotShowAnExpiredHolder() {
        StoreProcess process = tck.process();
        process.ask(tck.key("a")).leaseFor(tck.lease()).granted();
        tck.passLease(tck.lease());
        assertThat(process.snapshot("")).isEmpty();
    }

    @Test
    @Needs(INTROSPECTION)
    void snapshotComesInPagesInTheOrderOfNames() {
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
    @Needs(INTROSPECTION)
    void snapshotGoesByPrefixAndFindsAWholeNameFirst() {
        StoreProcess process = tck.process();
        List<LockKey> keys =
                List.of(LockKey.of("order"), LockKey.of("order:7"), LockKey.of("order:71"), LockKey.of("ordinal"));
        process.ask(keys).allGranted();
        assertThat(process.snapshot("order")).extracting(LockSnapshot::key).isEqualTo(keys.subList(0, 3));
        assertThat(process.page("order:7", Optional.empty(), 1).locks())
                .extracting(LockSnapshot::key)
                .containsExactly(LockKey.of("order:7"));
        assertThat(process.snapshot("Order")).isEmpty();
        assertThat(process.snapshot("order_7")).isEmpty();
        assertThat(process.snapshot("order%")).isEmpty();
        assertThat(process.snapshot("ord*")).isEmpty();
    }

    @Test
    @Needs(FORCED_RELEASE)
    void forcedReleaseFreesTheKeyAndTellsItsHolder() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("a")).granted();
        StoreProcess operator = tck.process();
        assertThat(operator.forceRelease(tck.key("a"))).isEqualTo(1);
        assertThat(operator.isFree(tck.key("a"))).isTrue();
        assertThat(holder.renew(held, TckCase.LONG)).isEqualTo(new RenewalAnswer.Gone(LossReason.FORCED));
    }

    @Test
    @Needs({FORCED_RELEASE, QUEUE})
    void forcedReleaseHandsTheKeyToTheNextWaiter() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(tck.key("a")).granted();
        Ask waiter = tck.process().ask(tck.key("a")).queueing();
        waiter.queued();
        tck.process().forceRelease(tck.key("a"));
        assertThat(waiter.won().grant().number()).isGreaterThan(held.grant().number());
        assertThat(holder.renew(held, TckCase.LONG)).isEqualTo(new RenewalAnswer.Gone(LossReason.FORCED));
        assertThat(holder.isFree(tck.key("a"))).isFalse();
    }

    @Test
    @Needs({FORCED_RELEASE, QUEUE, PUSHED_GRANTS})
    void forcedReleaseIsPushedToTheNextWaiter() {
        tck.process().ask(tck.key("a")).granted();
        StoreProcess waiting = tck.process();
        waiting.ask(tck.key("a")).queueing().queued();
        tck.process().forceRelease(tck.key("a"));
        tck.until("the grant is pushed", () -> !waiting.pushed().isEmpty());
    }

    @Test
    @Needs({FORCED_RELEASE, SHARED})
    void forcedReleaseEndsAllWhoShare() {
        StoreProcess process = tck.process();
        process.ask(tck.key("a")).shared().granted();
        process.ask(tck.key("a")).shared().granted();
        assertThat(process.forceRelease(tck.key("a"))).isEqualTo(2);
        assertThat(process.isFree(tck.key("a"))).isTrue();
    }

    @Test
    @Needs(FORCED_RELEASE)
    void forcedReleaseOfAFreeKeyChangesNothing() {
        StoreProcess process = tck.process();
        assertThat(process.forceRelease(tck.key("a"))).isZero();
        assertThat(process.isFree(tck.key("a"))).isTrue();
    }

    @Test
    void termsAreComparedAndSet() {
        StoreProcess one = tck.process();
        StoreProcess other = tck.process();
        assertThat(one.terms("", "v1 a<b")).isEqualTo("v1 a<b");
        assertThat(other.terms("", "v1 b<a")).isEqualTo("v1 a<b");
        assertThat(other.terms("v1 a<b", "v1 a<b<c")).isEqualTo("v1 a<b<c");
        assertThat(one.terms("v1 a<b", "v1 a<b<d")).isEqualTo("v1 a<b<c");
        assertThat(one.terms("v1 a<b<c", "v1 a<b<c")).isEqualTo("v1 a<b<c");
    }

    @Test
    void termsMayBeLongAndInAnyScript() {
        String terms = "größe 价格 😀 \"'\\{}%".repeat(200);
        assertThat(tck.process().terms("", terms)).isEqualTo(terms);
        assertThat(tck.process().terms("", "other")).isEqualTo(terms);
    }
}
