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
import dev.interlock.spi.Granted;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Which waiter is next, how often it can be overtaken, and which lease it gets. */
abstract class FairnessCases {
    /** The default limit that {@link Interlock.Builder#strictFifo()} documents. */
    private static final int MAX_OVERTAKEN = 16;

    private static final int WAITERS = 8;

    private final TckCase tck;

    FairnessCases(TckCase tck) {
        this.tck = tck;
    }

    private LockKey key() {
        return tck.key("fair");
    }

    private LockRequest<Lease> request(Interlock interlock) {
        return interlock.locks().with(key()).waitAtMost(TckCase.LONG);
    }

    @Test
    void strictFifoServesPendingRequestsInRequestOrder() {
        LockRequest<Lease> request = request(tck.interlock(Interlock.Builder::strictFifo));
        Lease held = request.acquire();
        List<Integer> served = new CopyOnWriteArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            int index = i;
            request.acquireAsync().thenAccept(lease -> {
                served.add(index);
                lease.releaseAsync();
            });
        }
        held.close();
        tck.until("all waiters are granted", () -> served.size() == WAITERS);
        assertThat(served).isSorted();
    }

    @Test
    void strictFifoServesBlockedThreadsInRequestOrder() {
        LockRequest<Lease> request = request(tck.interlock(Interlock.Builder::strictFifo));
        Lease held = request.acquire();
        List<Integer> served = new CopyOnWriteArrayList<>();
        List<Thread> waiters = new ArrayList<>();
        for (int i = 0; i < WAITERS; i++) {
            int index = i;
            Thread waiter = parked(() -> request.run(lease -> served.add(index)));
            waiters.add(waiter);
        }
        held.close();
        tck.until("all threads have ended", () -> waiters.stream().noneMatch(Thread::isAlive));
        assertThat(served).isEqualTo(IntStream.range(0, WAITERS).boxed().toList());
    }

    @Test
    void strictFifoNeverLetsAThreadOvertakeAWaitingThread() {
        assertThat(maxOvertaken(request(tck.interlock(Interlock.Builder::strictFifo))))
                .isZero();
    }

    @Test
    void waitingThreadIsOvertakenAtMostAsOftenAsDocumented() {
        assertThat(maxOvertaken(request(tck.interlock()))).isBetween(0, MAX_OVERTAKEN);
    }

    /**
     * Returns the largest number of times that a running thread got the lock again before a thread that already waited.
     */
    private int maxOvertaken(LockRequest<Lease> request) {
        CompletableFuture<Integer> worst = tck.thread(() -> {
            int max = 0;
            for (int round = 0; round < tck.kit().rounds(); round++) {
                max = Math.max(max, overtaken(request));
            }
            return max;
        });
        return tck.outcome("all rounds are over", worst);
    }

    private static int overtaken(LockRequest<Lease> request) throws InterruptedException {
        AtomicBoolean served = new AtomicBoolean();
        Lease held = request.acquire();
        Thread waiter = parked(() -> request.run(lease -> served.set(true)));
        int overtaken = -1;
        while (!served.get()) {
            overtaken++;
            held.close();
            held = request.acquire();
        }
        held.close();
        waiter.join();
        return overtaken;
    }

    /** Starts a thread that waits for a lock. The thread is in the queue when this method returns. */
    private static Thread parked(Runnable waiting) {
        Thread thread = new Thread(waiting, "tck-waiter");
        thread.setDaemon(true);
        thread.start();
        while (thread.getState() != Thread.State.WAITING && thread.getState() != Thread.State.TIMED_WAITING) {
            Thread.onSpinWait();
        }
        return thread;
    }

    @Test
    @Requires(QUEUE)
    void processWithManyThreadsDoesNotStarveAnotherProcess() {
        LockRequest<Lease> busy = request(tck.interlock());
        LockRequest<Lease> single = request(tck.interlock());
        AtomicBoolean enough = new AtomicBoolean();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(tck.thread(() -> {
                while (!enough.get()) {
                    busy.run(lease -> {});
                }
                return null;
            }));
        }
        for (int i = 0; i < 10; i++) {
            tck.outcome("the single request is granted", single.acquireAsync()).release();
        }
        enough.set(true);
        threads.forEach(thread -> tck.outcome("the busy thread ends", thread));
    }

    @Test
    @Requires({QUEUE, INTROSPECTION})
    void localPassesStopInFavourOfAnotherProcess() {
        int waiters = 1000;
        LockRequest<Lease> many = request(tck.interlock(Interlock.Builder::strictFifo));
        LockRequest<Lease> single = request(tck.interlock());
        Lease held = many.acquire();
        List<String> served = new CopyOnWriteArrayList<>();
        for (int i = 0; i < waiters; i++) {
            serve(many, "many", served);
        }
        serve(single, "single", served);
        StoreProcess observer = tck.process();
        tck.until("the single request waits in the store", () -> observer.waiters(key()) == 1);
        held.close();
        tck.until("all waiters are granted", () -> served.size() == waiters + 1);
        assertThat(served.indexOf("single")).isLessThan(waiters / 2);
    }

    private static void serve(LockRequest<Lease> request, String who, List<String> served) {
        request.acquireAsync().thenAccept(lease -> {
            served.add(who);
            lease.releaseAsync();
        });
    }

    @Test
    @Requires({QUEUE, INTROSPECTION})
    void queuePlaceOutlivesTheWaiterThatCreatedIt() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        LockRequest<Lease> request = request(tck.interlock());
        PendingLease<Lease> first = request.acquireAsync();
        tck.until("the first request waits in the store", () -> holder.waiters(key()) == 1);
        TckAttempt other = tck.process().ask(key()).queueing();
        other.queued();
        PendingLease<Lease> second = request.acquireAsync();
        assertThat(first.cancel()).as("cancel ends the wait").isTrue();
        holder.release(held);
        tck.outcome("the second request is granted at the place of the first", second)
                .close();
        tck.until("the other process is granted next", () -> other.keepWaiting() instanceof WaitAnswer.Won);
    }

    @Test
    void passNeverShortensAFixedLease() {
        Duration lease = tck.lease().multipliedBy(3);
        LockRequest<Lease> request = request(tck.interlock()).leaseFor(lease).renew(false);
        Lease first = request.acquire();
        PendingLease<Lease> second = request.acquireAsync();
        tck.time().pass(lease.dividedBy(2));
        first.close();
        Lease passed = tck.outcome("the lock is passed locally", second);
        assertThat(passed.remaining()).isGreaterThan(promised(lease));
    }

    @Test
    void passNeverGivesAShorterLeaseThanRequested() {
        Duration lease = tck.lease().multipliedBy(3);
        Locks locks = tck.interlock().locks();
        Lease first = locks.with(key()).leaseFor(tck.lease()).acquire();
        PendingLease<Lease> second = locks.with(key())
                .waitAtMost(TckCase.LONG)
                .leaseFor(lease)
                .renew(false)
                .acquireAsync();
        first.close();
        assertThat(tck.outcome("the lock is passed locally", second).remaining())
                .isGreaterThan(promised(lease));
    }

    @Test
    void passedRenewableLeaseHasAtLeastHalfItsLength() {
        Duration lease = tck.lease().multipliedBy(3);
        Locks locks = tck.interlock().locks();
        Lease first = locks.with(key()).leaseFor(lease).renew(false).acquire();
        PendingLease<Lease> second =
                locks.with(key()).waitAtMost(TckCase.LONG).leaseFor(lease).acquireAsync();
        tck.time().pass(lease.multipliedBy(2).dividedBy(3));
        first.close();
        Lease passed = tck.outcome("the lock is passed locally", second);
        assertThat(passed.remaining()).isGreaterThan(lease.multipliedBy(2).dividedBy(5));
        tck.time().pass(lease);
        assertThat(passed.isHeld()).as("the passed lease is held").isTrue();
    }

    /** A lease minus drift, margin, the resolution of the store and the time that an answer takes. */
    private Duration promised(Duration lease) {
        return lease.multipliedBy(3).dividedBy(4).minus(tck.capabilities().granularity());
    }
}
