package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.FORCED_RELEASE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.PendingLease;
import dev.interlock.spi.Granted;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Several keys in one request: one order, all or nothing, lost and released together. */
abstract class LeaseSetCases {
    private final TckCase tck;

    LeaseSetCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey a() {
        return tck.key("a");
    }

    private LockKey b() {
        return tck.key("b");
    }

    private LockKey c() {
        return tck.key("c");
    }

    private LockRequest<LeaseSet> request(Interlock interlock, LockKey... keys) {
        return interlock.locks().with(List.of(keys)).waitAtMost(TckCase.LONG);
    }

    @Test
    void keysAreSortedAndCountOnce() {
        try (LeaseSet leases =
                tck.interlock().locks().with(List.of(c(), a(), b(), a())).acquire()) {
            assertThat(leases.keys()).containsExactly(a(), b(), c());
        }
    }

    @Test
    void keysAreSortedByRankFirst() {
        Interlock interlock = tck.interlock(builder -> builder.order(LockOrder.of("zebra", "ant")));
        LockKey unranked = LockKey.of("aardvark:1");
        LockKey ant = LockKey.of("ant:1");
        LockKey zebra = LockKey.of("zebra:1");
        try (LeaseSet leases = request(interlock, unranked, ant, zebra).acquire()) {
            assertThat(leases.keys()).containsExactly(zebra, ant, unranked);
        }
    }

    @Test
    void everyKeyHasItsOwnGrowingToken() {
        Interlock interlock = tck.interlock();
        LeaseSet first = request(interlock, a(), b()).acquire();
        first.close();
        try (LeaseSet second = request(interlock, b(), a()).acquire()) {
            assertThat(second.token(a())).isGreaterThan(first.token(a()));
            assertThat(second.token(b())).isGreaterThan(first.token(b()));
        }
    }

    @Test
    void closingTheSetFreesEveryKey() {
        StoreProcess other = tck.process();
        LeaseSet leases = request(tck.interlock(), a(), b(), c()).acquire();
        assertThat(List.of(a(), b(), c())).as("keys of the held set").noneMatch(other::isFree);
        leases.close();
        assertThat(List.of(a(), b(), c())).as("keys of the closed set").allMatch(other::isFree);
    }

    @Test
    void setWithABusyKeyAcquiresNothing() {
        StoreProcess other = tck.process();
        other.ask(b()).granted();
        assertThat(request(tck.interlock(), a(), b(), c()).tryAcquire())
                .as("a set with a busy key")
                .isEmpty();
        tck.until("the free keys are free again", () -> other.isFree(a()) && other.isFree(c()));
    }

    @Test
    void setThatTimedOutHoldsNothing() {
        StoreProcess other = tck.process();
        Granted held = other.ask(b()).granted();
        LockRequest<LeaseSet> request = request(tck.interlock(), a(), b(), c());
        var waiting = tck.thread(() -> request.tryAcquire(Duration.ofMillis(500)));
        assertThat(tck.outcome("the wait times out", waiting))
                .as("a set that timed out")
                .isEmpty();
        tck.until("the free keys are free again", () -> other.isFree(a()) && other.isFree(c()));
        other.release(held);
        tck.until("the busy key is free as well", () -> other.isFree(b()));
    }

    @Test
    void waitingSetHoldsTheKeysBeforeTheBusyOneAndFinallyAll() {
        StoreProcess other = tck.process();
        Granted held = other.ask(b()).granted();
        PendingLease<LeaseSet> pending = request(tck.interlock(), a(), b(), c()).acquireAsync();
        tck.until("the first key is acquired", () -> !other.isFree(a()));
        other.assertFree(c());
        other.release(held);
        LeaseSet leases = tck.outcome("the set is complete", pending);
        leases.ensureHeld();
        assertThat(leases.token(b()).grant()).isGreaterThan(held.grant().number());
        assertThat(List.of(a(), b(), c())).as("keys of the held set").noneMatch(other::isFree);
        leases.close();
        assertThat(List.of(a(), b(), c())).as("keys of the closed set").allMatch(other::isFree);
    }

    @Test
    void prefixIsRenewedWhileItsSetWaits() {
        StoreProcess other = tck.process();
        Granted held = other.ask(b()).granted();
        // In real time a busy machine may be late with a renewal, so this lease is longer than leases that are meant to
        // expire.
        Duration lease = tck.lease().multipliedBy(4);
        PendingLease<LeaseSet> pending =
                request(tck.interlock(), a(), b()).leaseFor(lease).renew(false).acquireAsync();
        tck.until("the first key is acquired", () -> !other.isFree(a()));
        for (int i = 0; i < 2; i++) {
            tck.passLease(lease);
            other.assertNotFree(a());
        }
        other.release(held);
        LeaseSet leases = tck.outcome("the set is complete", pending);
        assertThat(leases.remaining()).isGreaterThan(lease.dividedBy(2));
    }

    @Test
    void setsListedInOppositeOrderDoNotDeadlock() {
        Interlock[] interlocks = {tck.interlock(), tck.interlock()};
        tck.threads(4, index -> {
            List<LockKey> keys = new ArrayList<>(List.of(a(), b(), c()));
            if (index % 2 == 1) {
                Collections.reverse(keys);
            }
            Locks locks = interlocks[index / 2].locks();
            for (int i = 0; i < tck.kit().rounds(); i++) {
                locks.with(keys).waitAtMost(TckCase.LONG).run(LeaseSet::ensureHeld);
            }
        });
    }

    @Test
    void overlappingSetsNeverHoldAKeyTogether() {
        Interlock[] interlocks = {tck.interlock(), tck.interlock()};
        List<LockKey> keys =
                IntStream.range(0, 6).mapToObj(i -> tck.key("overlap-" + i)).toList();
        int threads = 16;
        int setSize = 3;
        int[] counters = new int[keys.size()];
        tck.threads(threads, index -> {
            Random random = new Random(index);
            Locks locks = interlocks[index % 2].locks();
            List<Integer> indexes =
                    new ArrayList<>(IntStream.range(0, keys.size()).boxed().toList());
            for (int i = 0; i < tck.kit().rounds(); i++) {
                Collections.shuffle(indexes, random);
                List<Integer> chosen = indexes.subList(0, setSize);
                locks.with(chosen.stream().map(keys::get).toList())
                        .waitAtMost(TckCase.LONG)
                        .run(leases -> chosen.forEach(chosenIndex -> counters[chosenIndex]++));
            }
        });
        assertThat(IntStream.of(counters).sum())
                .isEqualTo(threads * setSize * tck.kit().rounds());
    }

    @Test
    @Requires(FORCED_RELEASE)
    void setThatLosesOneKeyIsLostAsAWhole() {
        StoreProcess other = tck.process();
        // Long enough for an answered renewal before it ends, even on a busy machine. Only that answer reports the true
        // reason.
        Duration lease = tck.lease().multipliedBy(4);
        LeaseSet leases =
                request(tck.interlock(), a(), b(), c()).leaseFor(lease).acquire();
        other.forceRelease(b());
        tck.time().pass(lease.dividedBy(2));
        assertThat(tck.outcome("the set is lost", leases.lost())).isEqualTo(LossReason.FORCED);
        assertThat(leases.of(a()).isHeld()).as("a key of a lost set is held").isFalse();
        leases.close();
        tck.until("the other keys are free", () -> other.isFree(a()) && other.isFree(c()));
    }
}
