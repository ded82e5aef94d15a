package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;
import static dev.interlock.testkit.Capability.WAIT_NOTES;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.DeadlockException;
import dev.interlock.lock.Holding;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.WaitForGraph;
import dev.interlock.spi.WaitNote;
import dev.interlock.spi.WaitNotes;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Scopes of several processes that wait for each other: one of them is told, and the others go on. */
@Needs(WAIT_NOTES)
abstract class DeadlockCases {
    private static final Duration AFTER = Duration.ofMillis(200);

    /** Ample time for a cycle to be found and confirmed. */
    private static final Duration FOUND = Duration.ofMillis(1500);

    private final TckCase tck;

    DeadlockCases(TckCase tck) {
        this.tck = tck;
    }

    /** One unit of work in a process of its own, with checks of the order off. */
    private final class Party {
        final Interlock interlock;
        final LockScope scope;

        Party(String name) {
            this(tck.interlock(builder -> builder.name(name)
                    .orderPolicy(OrderPolicy.ALLOW)
                    .deadlockDetection(DeadlockDetection.standard().after(AFTER))));
        }

        Party(Interlock interlock) {
            this.interlock = interlock;
            this.scope = interlock.locks().newScope("work");
        }

        Lease has(String id) {
            return tck.outcome(id + " is had", waitsFor(id));
        }

        PendingLease<Lease> waitsFor(String id) {
            return interlock
                    .locks()
                    .with(tck.key(id))
                    .waitAtMost(TckCase.LONG)
                    .in(scope)
                    .acquireAsync();
        }
    }

    private DeadlockException victim(PendingLease<?> wait) {
        try {
            tck.outcome("the deadlock is found", wait);
        } catch (DeadlockException found) {
            return found;
        }
        throw new AssertionError("granted, and not a victim");
    }

    private static boolean isDone(PendingLease<? extends Holding> wait) {
        return wait.toCompletableFuture().isDone();
    }

    /** So that the one that comes next is the last, by any clock. */
    private void aMomentLater() {
        tck.time().pass(Duration.ofMillis(20));
    }

    @Test
    void ofTwoThatWaitForEachOtherTheLastOneGivesUp() {
        ring(2);
    }

    @Test
    void ofThreeThatWaitInARingTheLastOneGivesUp() {
        ring(3);
    }

    @Test
    void ofFiveThatWaitInARingTheLastOneGivesUp() {
        ring(5);
    }

    private void ring(int size) {
        List<Party> parties = new ArrayList<>();
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            parties.add(new Party("till-" + i));
            held.add(parties.get(i).has("ring-" + i));
        }
        List<PendingLease<Lease>> waits = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            aMomentLater();
            waits.add(parties.get(i).waitsFor("ring-" + (i + 1) % size));
        }
        DeadlockException told = victim(waits.get(size - 1));
        assertThat(told.cycle()).hasSize(size);
        assertThat(told.cycle().get(0).wanted()).isEqualTo(tck.key("ring-0"));
        for (int i = 0; i < size; i++) {
            assertThat(told).hasMessageContainingAll("till-" + i, "tck:ring-" + i, "work #");
        }
        assertThat(waits.subList(0, size - 1)).noneMatch(DeadlockCases::isDone);
        held.get(size - 1).close();
        for (int i = size - 2; i >= 0; i--) {
            tck.outcome("the others go on", waits.get(i)).close();
            held.get(i).close();
        }
    }

    @Test
    void chainWithoutACycleIsLeftAlone() {
        Party one = new Party("one");
        Party two = new Party("two");
        Party three = new Party("three");
        one.has("a");
        Lease b = two.has("b");
        Lease c = three.has("c");
        PendingLease<Lease> first = one.waitsFor("b");
        PendingLease<Lease> second = two.waitsFor("c");
        tck.time().pass(FOUND);
        assertThat(isDone(first) || isDone(second)).isFalse();
        c.close();
        assertThat(tck.outcome("the chain goes on", second).isHeld()).isTrue();
        b.close();
        assertThat(tck.outcome("to its beginning", first).isHeld()).isTrue();
    }

    @Test
    void cycleOfHoldersThatWereServedLocallyIsFound() {
        Party one = new Party("one");
        Party two = new Party("two");
        Lease a = passedTo(one, "a");
        Lease b = passedTo(two, "b");
        PendingLease<Lease> first = one.waitsFor("b");
        aMomentLater();
        PendingLease<Lease> last = two.waitsFor("a");
        DeadlockException told = victim(last);
        assertThat(told.cycle())
                .flatExtracting(WaitForGraph.Wait::held)
                .extracting(WaitForGraph.Held::token)
                .containsExactlyInAnyOrder(a.token(), b.token());
        b.close();
        assertThat(tck.outcome("the other goes on", first).isHeld()).isTrue();
    }

    /** Held by another request of the same process first, which passes it on; not if that takes too long, so maybe not at the first try. */
    private Lease passedTo(Party party, String id) {
        for (int i = 0; i < 100; i++) {
            Lease before = tck.outcome(
                    "held before", party.interlock.locks().with(tck.key(id)).acquireAsync());
            PendingLease<Lease> next = party.waitsFor(id);
            before.close();
            Lease passed = tck.outcome("passed on", next);
            if (passed.token().pass() > 0) {
                return passed;
            }
            passed.close();
        }
        throw new AssertionError("never passed on locally");
    }

    @Test
    void waitBehindALocalGateIsPartOfTheCycle() {
        Party one = new Party("one");
        Party two = new Party("two");
        Party besides = new Party(one.interlock);
        one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> ahead = besides.waitsFor("b");
        aMomentLater();
        PendingLease<Lease> behind = one.waitsFor("b");
        aMomentLater();
        victim(two.waitsFor("a"));
        b.close();
        tck.outcome("who was ahead is first", ahead).close();
        assertThat(tck.outcome("and the one behind it goes on", behind).isHeld())
                .isTrue();
    }

    @Test
    void keysThatASetHasCollectedArePartOfTheCycle() {
        Party one = new Party("one");
        Party two = new Party("two");
        Lease b = two.has("b");
        PendingLease<LeaseSet> set = one.interlock
                .locks()
                .with(List.of(tck.key("a"), tck.key("b")))
                .waitAtMost(TckCase.LONG)
                .in(one.scope)
                .acquireAsync();
        tck.until(
                "a is collected",
                () -> tck.interlock()
                        .locks()
                        .tryAcquire(tck.key("a"))
                        .map(DeadlockCases::closed)
                        .isEmpty());
        aMomentLater();
        victim(two.waitsFor("a"));
        b.close();
        assertThat(tck.outcome("the set is complete", set).isHeld()).isTrue();
    }

    private static Lease closed(Lease lease) {
        lease.close();
        return lease;
    }

    @Test
    @Needs({SHARED, QUEUE, INTROSPECTION})
    void readerBehindAWriterWaitsForIt() {
        Party reader = new Party("reader");
        Party writer = new Party("writer");
        Party late = new Party("late");
        Lease shared = tck.outcome(
                "a reader is in",
                reader.interlock
                        .locks()
                        .with(tck.key("k"))
                        .shared()
                        .in(reader.scope)
                        .acquireAsync());
        Lease j = late.has("j");
        PendingLease<Lease> writes = writer.waitsFor("k");
        tck.until(
                "the writer waits",
                () -> writer.interlock
                                .operator()
                                .inspect(tck.key("k"))
                                .orElseThrow()
                                .waiters()
                        == 1);
        PendingLease<Lease> reads = late.interlock
                .locks()
                .with(tck.key("k"))
                .shared()
                .waitAtMost(TckCase.LONG)
                .in(late.scope)
                .acquireAsync();
        aMomentLater();
        DeadlockException told = victim(reader.waitsFor("j"));
        assertThat(told.cycle()).hasSize(3);
        shared.close();
        tck.outcome("the writer goes on", writes).close();
        assertThat(tck.outcome("and the reader behind it", reads).isHeld()).isTrue();
        assertThat(j.isHeld()).isTrue();
    }

    /** M06. What a process said that says nothing more is no part of a cycle: it may have moved on. */
    @Test
    void noteOfAProcessThatIsSilentMakesNoVictim() {
        Party one = new Party("one");
        Party two = new Party("two");
        one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> wait = one.waitsFor("b");
        StoreProcess forger = tck.process();
        List<WaitNote> notes = new ArrayList<>();
        tck.until("the wait is described", () -> {
            notes.addAll(forger.exchange(WaitNotes.reading()));
            return !notes.isEmpty();
        });
        // As if the other had waited for a, a moment after the first one, and were stopped since.
        String text = notes.get(0).text();
        String[] parts = text.lines().findFirst().orElseThrow().split("\t", -1);
        String silent = text.replace("\t" + tck.key("b") + "\t", "\t" + tck.key("a") + "\t")
                .replace(parts[2], Long.toString(Long.parseLong(parts[2]) - 1000))
                .replace("\t" + parts[4] + "\t", "\tsilent-scope\t")
                .replaceFirst(
                        "\nh\t[A-Z]+\t[0-9]+\t" + tck.key("a"), "\nh\tEXCLUSIVE\t" + b.token() + "\t" + tck.key("b"));
        forger.exchange(new WaitNotes(List.of(new WaitNote("silent-1", silent)), List.of(), TckCase.LONG, false));
        WaitForGraph seen = one.interlock.locks().waitForGraph();
        assertThat(seen.edges()).as("the forged cycle: %s", seen).hasSize(2);
        tck.time().pass(FOUND);
        assertThat(isDone(wait)).as("ended without a true cycle").isFalse();
        b.close();
        assertThat(tck.outcome("goes on", wait).isHeld()).isTrue();
    }

    @Test
    void operatorSeesWhoWaitsForWhom() {
        Party one = new Party("till-1");
        Party two = new Party("till-2");
        Lease a = one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> wait = one.waitsFor("b");
        tck.until(
                "it is described",
                () -> !two.interlock.locks().waitForGraph().waits().isEmpty());
        WaitForGraph.Wait seen = two.interlock.locks().waitForGraph().waits().get(0);
        assertThat(seen.process()).startsWith("till-1 (");
        assertThat(seen.wanted()).isEqualTo(tck.key("b"));
        assertThat(seen.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(seen.held()).containsExactly(new WaitForGraph.Held(tck.key("a"), LockMode.EXCLUSIVE, a.token()));
        b.close();
        tck.outcome("granted", wait);
        tck.until(
                "it is described no longer",
                () -> two.interlock.locks().waitForGraph().waits().isEmpty());
    }

    /** Waits of processes that do not search are ended by the monitor, and by another one if that is gone. */
    @Test
    void monitorFindsWhatOthersDoNotSearchFor() {
        DeadlockDetection quiet = DeadlockDetection.standard().after(AFTER).notSearching();
        Party one = new Party(
                tck.interlock(builder -> builder.orderPolicy(OrderPolicy.ALLOW).deadlockDetection(quiet)));
        Party two = new Party(
                tck.interlock(builder -> builder.orderPolicy(OrderPolicy.ALLOW).deadlockDetection(quiet)));
        one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> first = one.waitsFor("b");
        aMomentLater();
        PendingLease<Lease> last = two.waitsFor("a");
        tck.time().pass(FOUND);
        assertThat(isDone(first) || isDone(last)).as("nobody searches").isFalse();
        Interlock leaves = tck.interlock(builder -> builder.deadlockDetection(quiet.withMonitor()));
        LockKey monitor = LockKey.of("interlock", "deadlock-monitor");
        tck.until("it leads", () -> leaves.locks().tryAcquire(monitor).isEmpty());
        CompletableFuture<?> closed = CompletableFuture.runAsync(leaves::close);
        tck.until("it is gone", closed::isDone);
        if (!isDone(last)) {
            tck.interlock(builder -> builder.deadlockDetection(quiet.withMonitor()));
        }
        victim(last);
        b.close();
        assertThat(tck.outcome("the other goes on", first).isHeld()).isTrue();
    }
}
