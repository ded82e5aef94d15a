package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.QUEUE;
import static dev.interlock.testkit.Capability.SHARED;
import static dev.interlock.testkit.Capability.WAIT_REPORTS;
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
import dev.interlock.spi.WaitReport;
import dev.interlock.spi.WaitReportExchange;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.Test;

/** Scopes of several processes that wait for each other: one becomes the victim, and the others continue. */
@Requires(WAIT_REPORTS)
abstract class DeadlockCases {
    private static final Duration DETECT_AFTER = Duration.ofMillis(200);

    /** Ample time to find and confirm a cycle. */
    private static final Duration DETECTION_TIME = Duration.ofMillis(1500);

    private static final int MAX_STALLS = 6;

    private final TckCase tck;

    DeadlockCases(TckCase tck) {
        this.tck = tck;
    }

    /** One scope in a process of its own, with checks of the lock order switched off. */
    private final class Participant {
        final Interlock interlock;
        final LockScope scope;

        Participant(String name) {
            this(tck.interlock(builder -> builder.name(name)
                    .orderPolicy(OrderPolicy.ALLOW)
                    .deadlockDetection(DeadlockDetection.standard().after(DETECT_AFTER))));
        }

        Participant(Interlock interlock) {
            this.interlock = interlock;
            this.scope = interlock.locks().newScope("work");
        }

        Lease has(String id) {
            return tck.outcome(id + " is acquired", waitsFor(id));
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
        throw new AssertionError("The wait was granted; it should have been the victim");
    }

    private static boolean isDone(PendingLease<? extends Holding> wait) {
        return wait.toCompletableFuture().isDone();
    }

    /** Makes the next wait the youngest one by any clock. */
    private void passMoment() {
        tck.time().pass(Duration.ofMillis(20));
    }

    @Test
    void youngestWaitOfATwoScopeCycleIsTheVictim() {
        cycleOf(2);
    }

    @Test
    void youngestWaitOfAThreeScopeCycleIsTheVictim() {
        cycleOf(3);
    }

    @Test
    void youngestWaitOfAFiveScopeCycleIsTheVictim() {
        cycleOf(5);
    }

    private void cycleOf(int size) {
        List<Participant> participants = new ArrayList<>();
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            participants.add(new Participant("till-" + i));
            held.add(participants.get(i).has("cycle-" + i));
        }
        List<PendingLease<Lease>> waits = new ArrayList<>();
        for (int i = 0; i < size; i++) {
            passMoment();
            waits.add(participants.get(i).waitsFor("cycle-" + (i + 1) % size));
        }
        DeadlockException deadlock = victim(waits.get(size - 1));
        assertThat(deadlock.cycle()).hasSize(size);
        assertThat(deadlock.cycle().get(0).wanted()).isEqualTo(tck.key("cycle-0"));
        for (int i = 0; i < size; i++) {
            assertThat(deadlock).hasMessageContainingAll("till-" + i, "tck:cycle-" + i, "work #");
        }
        assertThat(waits.subList(0, size - 1)).as("only the youngest wait ends").noneMatch(DeadlockCases::isDone);
        held.get(size - 1).close();
        for (int i = size - 2; i >= 0; i--) {
            tck.outcome("the other waits continue", waits.get(i)).close();
            held.get(i).close();
        }
    }

    @Test
    void chainWithoutACycleHasNoVictim() {
        Participant one = new Participant("one");
        Participant two = new Participant("two");
        Participant three = new Participant("three");
        one.has("a");
        Lease b = two.has("b");
        Lease c = three.has("c");
        PendingLease<Lease> first = one.waitsFor("b");
        PendingLease<Lease> second = two.waitsFor("c");
        tck.time().pass(DETECTION_TIME);
        assertThat(isDone(first) || isDone(second))
                .as("a wait ended without a cycle")
                .isFalse();
        c.close();
        assertThat(tck.outcome("the wait at the end of the chain is granted", second)
                        .isHeld())
                .isTrue();
        b.close();
        assertThat(tck.outcome("the wait at its start is granted", first).isHeld())
                .isTrue();
    }

    @Test
    void cycleOfHoldersWithPassedLocksIsFound() {
        Participant one = new Participant("one");
        Participant two = new Participant("two");
        Lease a = passedTo(one, "a");
        Lease b = passedTo(two, "b");
        PendingLease<Lease> first = one.waitsFor("b");
        passMoment();
        PendingLease<Lease> last = two.waitsFor("a");
        DeadlockException deadlock = victim(last);
        assertThat(deadlock.cycle())
                .flatExtracting(WaitForGraph.Wait::held)
                .extracting(WaitForGraph.Held::token)
                .containsExactlyInAnyOrder(a.token(), b.token());
        b.close();
        assertThat(tck.outcome("the other wait continues", first).isHeld())
                .as("the other wait is granted")
                .isTrue();
    }

    /**
     * Acquires the key by a local pass: another request of the same process holds it first and passes it on. If that
     * takes too long there is no pass, so several tries may be needed.
     */
    private Lease passedTo(Participant participant, String id) {
        for (int i = 0; i < 100; i++) {
            Lease before = tck.outcome(
                    "the earlier request holds it",
                    participant.interlock.locks().with(tck.key(id)).acquireAsync());
            PendingLease<Lease> next = participant.waitsFor(id);
            before.close();
            Lease passed = tck.outcome("the lock is passed locally", next);
            if (passed.token().pass() > 0) {
                return passed;
            }
            passed.close();
        }
        throw new AssertionError("The lock was never passed locally");
    }

    @Test
    void waitBehindALocalGateIsPartOfTheCycle() {
        Participant one = new Participant("one");
        Participant two = new Participant("two");
        Participant sameProcess = new Participant(one.interlock);
        one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> ahead = sameProcess.waitsFor("b");
        passMoment();
        PendingLease<Lease> behind = one.waitsFor("b");
        passMoment();
        victim(two.waitsFor("a"));
        b.close();
        tck.outcome("the earlier waiter is granted first", ahead).close();
        assertThat(tck.outcome("the waiter behind it continues", behind).isHeld())
                .isTrue();
    }

    @Test
    void keysHeldByAWaitingSetArePartOfTheCycle() {
        Participant one = new Participant("one");
        Participant two = new Participant("two");
        Lease b = two.has("b");
        PendingLease<LeaseSet> set = one.interlock
                .locks()
                .with(List.of(tck.key("a"), tck.key("b")))
                .waitAtMost(TckCase.LONG)
                .in(one.scope)
                .acquireAsync();
        tck.until(
                "the set has acquired a",
                () -> tck.interlock()
                        .locks()
                        .tryAcquire(tck.key("a"))
                        .map(DeadlockCases::closed)
                        .isEmpty());
        passMoment();
        victim(two.waitsFor("a"));
        b.close();
        assertThat(tck.outcome("the set is complete", set).isHeld())
                .as("the set is held")
                .isTrue();
    }

    private static Lease closed(Lease lease) {
        lease.close();
        return lease;
    }

    @Test
    @Requires({SHARED, QUEUE, INTROSPECTION})
    void readerBehindAWriterWaitsForIt() {
        // A process that stalls for more than a second loses its place. If that happens to the writer, the late reader
        // is granted, rightly, and there is no deadlock to be found.
        int round = 1;
        while (!findsReaderBehindWriter("-" + round) && round < MAX_STALLS) {
            round++;
        }
        assertThat(round).as("rounds until no process stalled").isLessThan(MAX_STALLS);
    }

    /** Whether the writer kept its place for so long that there was a deadlock. */
    private boolean findsReaderBehindWriter(String round) {
        Participant reader = new Participant("reader" + round);
        Participant writer = new Participant("writer" + round);
        Participant late = new Participant("late" + round);
        String k = "k" + round;
        Lease shared = tck.outcome(
                "the reader is granted",
                reader.interlock
                        .locks()
                        .with(tck.key(k))
                        .shared()
                        .in(reader.scope)
                        .acquireAsync());
        Lease j = late.has("j" + round);
        PendingLease<Lease> writes = writer.waitsFor(k);
        tck.until("the writer waits", () -> waiters(writer, k) == 1);
        PendingLease<Lease> reads = late.interlock
                .locks()
                .with(tck.key(k))
                .shared()
                .waitAtMost(TckCase.LONG)
                .in(late.scope)
                .acquireAsync();
        tck.until("the late reader waits behind the writer", () -> isDone(reads) || waiters(writer, k) == 2);
        PendingLease<Lease> wait = reader.waitsFor("j" + round);
        tck.until("the deadlock is found", () -> isDone(wait) || isDone(reads));
        if (!isDone(wait)) {
            return false;
        }
        assertThat(victim(wait).cycle()).hasSize(3);
        shared.close();
        tck.outcome("the writer continues", writes).close();
        assertThat(tck.outcome("the reader behind it is granted", reads).isHeld())
                .isTrue();
        assertThat(j.isHeld())
                .as("the lock that the victim wanted is still held")
                .isTrue();
        return true;
    }

    private int waiters(Participant one, String id) {
        return one.interlock.operator().inspect(tck.key(id)).orElseThrow().waiters();
    }

    /** M06. A wait report of a silent process makes no cycle: the process may have moved on. */
    @Test
    void waitReportOfASilentProcessMakesNoVictim() {
        Participant one = new Participant("one");
        Participant two = new Participant("two");
        one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> wait = one.waitsFor("b");
        StoreProcess forger = tck.process();
        List<WaitReport> reports = new ArrayList<>();
        tck.until("the wait is reported", () -> {
            reports.addAll(forger.exchange(WaitReportExchange.reading()));
            return !reports.isEmpty();
        });
        // As if the other scope had waited for a, shortly after the first one, and had been stopped since.
        String text = reports.get(0).text();
        String[] parts = text.lines().findFirst().orElseThrow().split("\t", -1);
        String silent = text.replace("\t" + tck.key("b") + "\t", "\t" + tck.key("a") + "\t")
                .replace(parts[2], Long.toString(Long.parseLong(parts[2]) - 1000))
                .replace("\t" + parts[4] + "\t", "\tsilent-scope\t")
                .replaceFirst(
                        "\nh\t[A-Z]+\t[0-9]+\t" + tck.key("a"), "\nh\tEXCLUSIVE\t" + b.token() + "\t" + tck.key("b"));
        forger.exchange(
                new WaitReportExchange(List.of(new WaitReport("silent-1", silent)), List.of(), TckCase.LONG, false));
        WaitForGraph seen = one.interlock.locks().waitForGraph();
        assertThat(seen.edges()).as("the forged cycle: %s", seen).hasSize(2);
        tck.time().pass(DETECTION_TIME);
        assertThat(isDone(wait)).as("the wait ended without a real cycle").isFalse();
        b.close();
        assertThat(tck.outcome("the wait continues", wait).isHeld())
                .as("the wait is granted")
                .isTrue();
    }

    @Test
    void waitForGraphShowsWaitsOfOtherProcesses() {
        Participant one = new Participant("till-1");
        Participant two = new Participant("till-2");
        Lease a = one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> wait = one.waitsFor("b");
        tck.until(
                "the wait is reported",
                () -> !two.interlock.locks().waitForGraph().waits().isEmpty());
        WaitForGraph.Wait seen = two.interlock.locks().waitForGraph().waits().get(0);
        assertThat(seen.process()).startsWith("till-1 (");
        assertThat(seen.wanted()).isEqualTo(tck.key("b"));
        assertThat(seen.mode()).isEqualTo(LockMode.EXCLUSIVE);
        assertThat(seen.held()).containsExactly(new WaitForGraph.Held(tck.key("a"), LockMode.EXCLUSIVE, a.token()));
        b.close();
        tck.outcome("the wait is granted", wait);
        tck.until(
                "the wait is no longer reported",
                () -> two.interlock.locks().waitForGraph().waits().isEmpty());
    }

    /**
     * The monitor ends waits of processes that do not search, and another monitor takes over if the first one is gone.
     */
    @Test
    void monitorFindsDeadlocksOfProcessesThatDoNotSearch() {
        DeadlockDetection quiet =
                DeadlockDetection.standard().after(DETECT_AFTER).notSearching();
        Participant one = new Participant(
                tck.interlock(builder -> builder.orderPolicy(OrderPolicy.ALLOW).deadlockDetection(quiet)));
        Participant two = new Participant(
                tck.interlock(builder -> builder.orderPolicy(OrderPolicy.ALLOW).deadlockDetection(quiet)));
        one.has("a");
        Lease b = two.has("b");
        PendingLease<Lease> first = one.waitsFor("b");
        passMoment();
        PendingLease<Lease> last = two.waitsFor("a");
        tck.time().pass(DETECTION_TIME);
        assertThat(isDone(first) || isDone(last))
                .as("a wait ended although no process searches")
                .isFalse();
        Interlock firstMonitor = tck.interlock(builder -> builder.deadlockDetection(quiet.withMonitor()));
        LockKey monitor = LockKey.of("interlock", "deadlock-monitor");
        tck.until(
                "the first monitor leads",
                () -> firstMonitor.locks().tryAcquire(monitor).isEmpty());
        CompletableFuture<?> closed = CompletableFuture.runAsync(firstMonitor::close);
        tck.until("the first monitor is closed", closed::isDone);
        if (!isDone(last)) {
            tck.interlock(builder -> builder.deadlockDetection(quiet.withMonitor()));
        }
        victim(last);
        b.close();
        assertThat(tck.outcome("the other wait continues", first).isHeld())
                .as("the other wait is granted")
                .isTrue();
    }
}
