package dev.interlock.testkit;

import static dev.interlock.testkit.Capability.INTROSPECTION;
import static dev.interlock.testkit.Capability.QUEUE;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Granted;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Long queues and many keys: the order is kept, and nothing is left behind. */
abstract class ScaleCases {
    /** Requests that are in progress at the same time. Few enough that a slow disk serves them within one answer. */
    private static final int CONCURRENT_REQUESTS = 100;

    /** Heap growth that a run may cause. Far less than any state kept per key would need. */
    private static final long MAX_HEAP_GROWTH = 16L << 20;

    private final TckCase tck;

    ScaleCases(TckCase tck) {
        this.tck = tck;
    }

    @Test
    void manyWaitersOfOneInterlockAreServedInOrder() {
        int waiters = tck.kit().manyWaiters();
        LockRequest<Lease> request = tck.interlock(Interlock.Builder::strictFifo)
                .locks()
                .with(tck.key("popular"))
                .waitAtMost(TckCase.LONG);
        Lease held = request.acquire();
        List<Integer> served = new ArrayList<>(waiters);
        AtomicInteger done = new AtomicInteger();
        for (int i = 0; i < waiters; i++) {
            int index = i;
            request.acquireAsync().thenAccept(lease -> {
                served.add(index);
                done.incrementAndGet();
                lease.releaseAsync();
            });
        }
        held.close();
        tck.until("all waiters are served", () -> done.get() == waiters);
        assertThat(served).isEqualTo(IntStream.range(0, waiters).boxed().toList());
    }

    @Test
    @Tag("full")
    @Requires(QUEUE)
    void manyWaitersInTheStoreAreServedInOrder() {
        StoreProcess process = tck.process();
        LockKey key = tck.key("popular");
        Granted held = process.ask(key).granted();
        List<TckAttempt> waiters = IntStream.range(0, tck.kit().manyWaiters())
                .mapToObj(i -> process.askAsOtherProcess(key).queueing())
                .toList();
        waiters.forEach(TckAttempt::queued);
        for (TckAttempt next : waiters) {
            process.release(held);
            Granted granted = next.won();
            assertThat(granted.grant().number()).isGreaterThan(held.grant().number());
            held = granted;
        }
        process.release(held);
        process.assertFree(key);
    }

    @Test
    @Tag("full")
    void manyKeysLeaveNothingBehind() {
        Interlock interlock = tck.interlock();
        holdAndRelease(interlock.locks(), "warm-up", tck.kit().manyKeys() / 4);
        long before = usedHeap();
        holdAndRelease(interlock.locks(), "many", tck.kit().manyKeys());
        assertThat(usedHeap() - before).as("heap growth in bytes").isLessThan(MAX_HEAP_GROWTH);
        assertThat(interlock.locks().currentScope().held())
                .as("locks held at the end")
                .isEmpty();
        if (tck.has(INTROSPECTION)) {
            assertThat(interlock.operator().list("", Optional.empty(), 10).locks())
                    .isEmpty();
        }
    }

    /** Holds all locks at the same time before it releases the first. */
    private void holdAndRelease(Locks locks, String type, int count) {
        List<Lease> leases = new ArrayList<>(count);
        for (int from = 0; from < count; from += CONCURRENT_REQUESTS) {
            List<PendingLease<Lease>> pending = IntStream.range(from, Math.min(count, from + CONCURRENT_REQUESTS))
                    .mapToObj(i -> locks.acquireAsync(LockKey.of(type, Integer.toString(i))))
                    .toList();
            pending.forEach(one -> leases.add(tck.outcome("the lock is acquired", one)));
        }
        assertThat(leases).as("leases held at the same time").allMatch(Lease::isHeld);
        for (int from = 0; from < count; from += CONCURRENT_REQUESTS) {
            List<CompletionStage<ReleaseResult>> released =
                    leases.subList(from, Math.min(count, from + CONCURRENT_REQUESTS)).stream()
                            .map(Lease::releaseAsync)
                            .toList();
            released.forEach(
                    one -> assertThat(tck.outcome("a lock is released", one)).isEqualTo(ReleaseResult.RELEASED));
        }
    }

    /** The reachable heap, as far as the garbage collector can be made to report it. */
    private static long usedHeap() {
        long least = Long.MAX_VALUE;
        for (int i = 0; i < 4; i++) {
            System.gc();
            Runtime runtime = Runtime.getRuntime();
            least = Math.min(least, runtime.totalMemory() - runtime.freeMemory());
        }
        return least;
    }
}
