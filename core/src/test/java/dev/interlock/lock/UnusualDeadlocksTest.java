package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.support.ScriptedBackend;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/**
 * Real and apparent cycles with shared locks, permits, sets and many waiters. Detection once found each of these too
 * late, never, or without a deadlock.
 */
class UnusualDeadlocksTest {
    private static final Duration PATIENCE = ofSeconds(60);
    private static final long NEVER = -1;

    private final List<Interlock> more = new ArrayList<>();
    private TwoProcesses world = TwoProcesses.with(UnusualDeadlocksTest::unordered);
    private Locks theirs;

    private static Interlock.Builder unordered(Interlock.Builder builder) {
        return builder.orderPolicy(OrderPolicy.ALLOW);
    }

    private Locks process(String name) {
        Interlock made = unordered(Interlock.builder(world.memory).name(name).environment(world.clock))
                .build();
        more.add(made);
        return made.locks();
    }

    private Locks others() {
        if (theirs == null) {
            theirs = process("theirs");
        }
        return theirs;
    }

    private Locks ours() {
        return world.locks();
    }

    @AfterEach
    void close() {
        more.forEach(one -> one.shutdown(Duration.ZERO));
        world.close();
    }

    private static LockKey k(String name) {
        return LockKey.of(name);
    }

    private static PendingLease<Lease> writes(Locks by, LockScope scope, String key) {
        return by.with(k(key)).in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    private static PendingLease<Lease> reads(Locks by, LockScope scope, String key) {
        return by.with(k(key)).shared().in(scope).waitAtMost(PATIENCE).acquireAsync();
    }

    private static boolean hasEnded(PendingLease<?> wait) {
        return !isPending(wait) && !isGranted(wait);
    }

    /** Returns the milliseconds until one of the waits ends with a {@link DeadlockException}, or {@link #NEVER}. */
    private long untilVictim(long max, PendingLease<?>... waits) {
        for (long t = 0; t <= max; t += 10) {
            for (PendingLease<?> wait : waits) {
                if (hasEnded(wait)) {
                    assertThat(failure(wait)).isInstanceOf(DeadlockException.class);
                    return t;
                }
            }
            world.advance(10);
        }
        return NEVER;
    }

    /** Any holder may return a permit at any time. The set behind it in the queue belongs to an older request. */
    @Test
    void permitThatAnyHolderMayReturnMakesNoVictim() {
        LockScope x = others().newScope("x");
        LockScope w = others().newScope("w");
        LockScope p = ours().newScope("p");
        LockScope b = ours().newScope("b");
        Lease k0 = TwoProcesses.result(writes(others(), x, "k0"));
        var set = others().with(List.of(k("k0"), k("k1")))
                .in(w)
                .waitAtMost(PATIENCE)
                .acquireAsync(); // exclusive, waits for k0 since t = 0
        world.advance(10);
        Lease permitC = TwoProcesses.result(
                others().with(k("k1")).permits(1, 2).in(others().newScope("c")).acquireAsync());
        TwoProcesses.result(ours().with(k("k1")).permits(1, 2).in(b).acquireAsync());
        TwoProcesses.result(writes(ours(), p, "k2"));
        world.advance(10);
        PendingLease<Lease> pWaits =
                ours().with(k("k1")).permits(1, 2).in(p).waitAtMost(PATIENCE).acquireAsync();
        assertThat(isPending(pWaits)).isTrue();
        world.advance(10);
        k0.close(); // the set gets k0 and queues at k1, behind p
        world.advance(10);
        PendingLease<Lease> bWaits = writes(ours(), b, "k2");
        long t = untilVictim(5_000, pWaits, bWaits, set);
        permitC.close();
        world.advance(10);
        assertThat(t).as("no cycle: c only has to return its permit").isEqualTo(NEVER);
        assertThat(isGranted(pWaits)).isTrue();
    }

    /** Reader r waits behind writer w, which holds nothing. w waits for reader b, which waits for r. */
    @Test
    void writerThatHoldsNothingIsPartOfTheCycle() {
        LockScope r = ours().newScope("r");
        LockScope b = others().newScope("b");
        Locks third = process("third");
        TwoProcesses.result(reads(others(), b, "k"));
        TwoProcesses.result(writes(ours(), r, "j"));
        PendingLease<Lease> w = writes(third, third.newScope("w"), "k");
        world.advance(10);
        PendingLease<Lease> rWaits = reads(ours(), r, "k");
        assertThat(isPending(rWaits)).isTrue();
        world.advance(10);
        PendingLease<Lease> bWaits = writes(others(), b, "j");
        long t = untilVictim(20_000, rWaits, bWaits, w);
        assertThat(t).isBetween(0L, 2_000L);
    }

    /** The reader reached the local gate before the writer, but the store's queue after it. */
    @Test
    void readerDelayedInItsProcessWaitsForTheWriterThatWasFirstInTheStore() {
        LockScope r = ours().newScope("r");
        LockScope b = others().newScope("b");
        Locks third = process("third");
        Lease local = TwoProcesses.result(writes(ours(), ours().newScope("y"), "k"));
        TwoProcesses.result(writes(ours(), r, "j"));
        PendingLease<Lease> rWaits = reads(ours(), r, "k");
        world.advance(300);
        PendingLease<Lease> bReads = reads(others(), b, "k");
        world.advance(200);
        PendingLease<Lease> w = writes(third, third.newScope("w"), "k");
        world.advance(500);
        local.close();
        world.advance(50);
        assertThat(isGranted(bReads)).isTrue();
        assertThat(isPending(rWaits)).isTrue();
        PendingLease<Lease> bWaits = writes(others(), b, "j");
        // The writer holds nothing and does not know of the readers yet, so it reports its wait only every two seconds.
        assertThat(untilVictim(20_000, rWaits, bWaits, w)).isBetween(0L, 7_000L);
    }

    /** The wait reports do not show which of them was first. */
    @Test
    void readerThatCameInTheSameMillisecondAsAWriterWaitsForIt() {
        LockScope r = ours().newScope("r");
        LockScope b = others().newScope("b");
        Locks third = process("third");
        TwoProcesses.result(reads(others(), b, "k"));
        TwoProcesses.result(writes(ours(), r, "j"));
        PendingLease<Lease> w = writes(third, third.newScope("w"), "k");
        PendingLease<Lease> rWaits = reads(ours(), r, "k");
        PendingLease<Lease> bWaits = writes(others(), b, "j");
        assertThat(untilVictim(20_000, rWaits, bWaits, w)).isBetween(0L, 2_000L);
    }

    /** The same within one process, on a store without wait reports. */
    @Test
    void writerThatHoldsNothingIsPartOfTheCycleWithoutWaitReportsToo() {
        world.close();
        world = new TwoProcesses(ScriptedBackend::withoutWaitReports, UnusualDeadlocksTest::unordered);
        LockScope r = ours().newScope("r");
        LockScope b = ours().newScope("b");
        TwoProcesses.result(reads(ours(), b, "k"));
        TwoProcesses.result(writes(ours(), r, "j"));
        PendingLease<Lease> w = writes(ours(), ours().newScope("w"), "k");
        world.advance(10);
        PendingLease<Lease> rWaits = reads(ours(), r, "k");
        assertThat(isPending(rWaits)).isTrue();
        world.advance(10);
        PendingLease<Lease> bWaits = writes(ours(), b, "j");
        long t = untilVictim(50_000, rWaits, bWaits, w);
        assertThat(t).isBetween(0L, 2_000L);
    }

    /** The request of the set is older than that of the writer, but it reached the key after it. */
    @Test
    void setThatCameToTheKeyAfterAWriterWaitsForIt() {
        LockScope x = others().newScope("x");
        LockScope r = ours().newScope("r");
        LockScope b = others().newScope("b");
        Locks third = process("third");
        LockScope w = third.newScope("w");
        Lease k0 = TwoProcesses.result(writes(others(), x, "k0"));
        TwoProcesses.result(reads(others(), b, "k1"));
        var set = ours().with(List.of(k("k0"), k("k1")))
                .shared()
                .in(r)
                .waitAtMost(PATIENCE)
                .acquireAsync();
        world.advance(500);
        // The scope holds a lock, so that its wait is reported without delay.
        TwoProcesses.result(writes(third, w, "other"));
        PendingLease<Lease> wWaits = writes(third, w, "k1");
        world.advance(500);
        k0.close();
        world.advance(50);
        assertThat(isPending(set)).isTrue();
        PendingLease<Lease> bWaits = writes(others(), b, "k0");
        long t = untilVictim(50_000, set, bWaits, wWaits);
        assertThat(t).isBetween(0L, 2_000L);
    }

    /** At that moment, the request waits at no gate. */
    @Test
    void setBetweenTwoKeysWhenItsWaitBecomesLongIsReported() {
        LockScope x = others().newScope("x");
        LockScope s = ours().newScope("s");
        LockScope b = others().newScope("b");
        Lease a = TwoProcesses.result(writes(others(), x, "a"));
        TwoProcesses.result(writes(others(), b, "b"));
        var set =
                ours().with(List.of(k("a"), k("b"))).in(s).waitAtMost(PATIENCE).acquireAsync();
        world.advance(980);
        var slow = world.wire.delay(Op.RENEW, 1);
        a.close(); // the grant is pushed to the set, which confirms it with a renewal that takes 40 ms
        assertThat(slow.size()).as("confirming renewals").isEqualTo(1);
        world.advance(40);
        slow.go();
        world.advance(10);
        assertThat(isPending(set)).isTrue();
        PendingLease<Lease> bWaits = writes(others(), b, "a");
        long t = untilVictim(50_000, set, bWaits);
        assertThat(t).isBetween(0L, 2_000L);
    }

    /** Each process has a long wait that holds nothing, such as a candidate of a LeaderElection. */
    @Test
    void longWaitsThatHoldNothingDoNotDelayOthers() {
        long worst = 0;
        others().acquire(k("hot"));
        LockScope one = ours().newScope("standby");
        writes(ours(), one, "hot");
        writes(others(), others().newScope("standby"), "hot");
        for (int i = 0; i < 12; i++) {
            world.advance(3_000 + i * 170);
            LockScope a = ours().newScope("a");
            LockScope b = others().newScope("b");
            Lease ha = TwoProcesses.result(writes(ours(), a, "x" + i));
            Lease hb = TwoProcesses.result(writes(others(), b, "y" + i));
            PendingLease<Lease> aWaits = writes(ours(), a, "y" + i);
            world.advance(10);
            PendingLease<Lease> bWaits = writes(others(), b, "x" + i);
            long t = untilVictim(20_000, aWaits, bWaits);
            worst = Math.max(worst, t < 0 ? 99_999 : t);
            aWaits.cancel();
            bWaits.cancel();
            ha.close();
            hb.close();
        }
        assertThat(worst).isLessThanOrEqualTo(2_000);
    }

    /** There are more waits that hold nothing than the process reports. */
    @Test
    void waitsThatHoldSomethingAreReportedFirst() {
        others().acquire(k("hot"));
        for (int i = 0; i < 500; i++) {
            ours().with(k("hot")).waitAtMost(ofMinutes(10)).acquireAsync();
        }
        world.advance(3_050);
        LockScope a = ours().newScope("a");
        LockScope b = others().newScope("b");
        TwoProcesses.result(writes(ours(), a, "x"));
        TwoProcesses.result(writes(others(), b, "y"));
        PendingLease<Lease> aWaits = writes(ours(), a, "y");
        world.advance(10);
        PendingLease<Lease> bWaits = writes(others(), b, "x");
        long t = untilVictim(50_000, aWaits, bWaits);
        assertThat(t).isBetween(0L, 3_000L);
    }
}
