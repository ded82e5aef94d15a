package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.FORCED_RELEASE;
import static dev.interlock.testkit.Capability.OWN_EXPIRY;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.spi.Granted;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Grant numbers: each is larger than all earlier ones of its key, whatever happened in between. */
abstract class TokenCases {
    private static final long FAR = 1_000_000_007L;

    private final TckCase tck;

    TokenCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("token");
    }

    private static long number(Granted granted) {
        assertThat(granted.grant().number()).isBetween(0L, FencingToken.MAX_GRANT);
        return granted.grant().number();
    }

    @Test
    void numbersGrowAcrossRelease() {
        StoreProcess one = tck.process();
        StoreProcess other = tck.process();
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            StoreProcess process = i % 2 == 0 ? one : other;
            Granted granted = process.ask(key()).granted();
            numbers.add(number(granted));
            process.release(granted);
        }
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
    }

    @Test
    @Requires(OWN_EXPIRY)
    void numbersGrowAcrossExpiry() {
        long before = number(tck.process().ask(key()).leaseFor(tck.lease()).granted());
        tck.passLease(tck.lease());
        assertThat(number(tck.process().ask(key()).granted())).isGreaterThan(before);
    }

    @Test
    @Requires(FORCED_RELEASE)
    void numbersGrowAcrossForcedRelease() {
        long before = number(tck.process().ask(key()).granted());
        tck.process().forceRelease(key());
        assertThat(number(tck.process().ask(key()).granted())).isGreaterThan(before);
    }

    @Test
    @Requires(QUEUE)
    void numbersGrowAcrossHandOver() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        TckAttempt waiter = tck.process().ask(key()).queueing();
        waiter.queued();
        holder.release(held);
        assertThat(number(waiter.won())).isGreaterThan(number(held));
    }

    @Test
    @Requires(SHARED)
    void numbersOfSharedHoldersGrow() {
        StoreProcess process = tck.process();
        List<Long> numbers = new ArrayList<>();
        for (int i = 0; i < 5; i++) {
            numbers.add(number(process.ask(key()).shared().granted()));
        }
        assertThat(numbers).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void grantIsAboveTheFloor() {
        StoreProcess process = tck.process();
        Granted first = process.ask(key()).granted();
        process.release(first);
        long floor = number(first) + FAR;
        Granted lifted = process.ask(key()).above(floor).granted();
        assertThat(number(lifted)).isGreaterThan(floor);
    }

    @Test
    void grantsAfterARaisedFloorStayAboveIt() {
        StoreProcess process = tck.process();
        Granted first = process.ask(key()).granted();
        process.release(first);
        Granted lifted = process.ask(key()).above(number(first) + FAR).granted();
        process.release(lifted);
        assertThat(number(tck.process().ask(key()).granted())).isGreaterThan(number(lifted));
    }

    @Test
    @Requires(QUEUE)
    void handedOverGrantIsAboveTheFloor() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        long floor = number(held) + FAR;
        TckAttempt waiter = tck.process().ask(key()).queueing().above(floor);
        waiter.queued();
        holder.release(held);
        assertThat(number(waiter.won())).isGreaterThan(floor);
    }
}
