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

/** Who is next, how often a waiter may be overtaken, and what it gets when its turn has come. */
abstract class FairnessCases {
    /** What {@link Interlock.Builder#strictFifo()} says about the default. */
    private static final int OVERTAKEN_AT_MOST = 16;

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
    void strictOrderServesPendingRequestsInOrderOfAsking() {
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
        tck.until("all are served", () -> served.size() == WAITERS);
        assertThat(served).isSorted();
    }

    @Test
    void strictOrderServesBlockedThreadsInOrderOfAsking() {
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
        tck.until("all threads are served", () -> waiters.stream().noneMatch(Thread::isAlive));
        assertThat(served).isEqualTo(IntStream.range(0, WAITERS).boxed().toList());
    }

    @Test
    void strictOrderLetsNobodyOvertakeAWaitingThread() {
        assertThat(mostOvertaken(request(tck.interlock(Interlock.Builder::strictFifo))))
                .isZero();
    }

    @Test
    void waitingThreadIsOvertakenNoMoreOftenThanStated() {
        assertThat(mostOvertaken(request(tck.interlock()))).isBetween(0, OVERTAKEN_AT_MOST);
    }

    /** How often at the worst a thread that is running gets the lock again before one that waits for it already. */
    private int mostOvertaken(LockRequest<Lease> request) {
        CompletableFuture<Integer> worst = tck.thread(() -> {
            int most = 0;
            for (int round = 0; round < tck.kit().rounds(); round++) {
                most = Math.max(most, overtaken(request));
            }
            return most;
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

    /** Starts a thread that waits for a lock; it is in the queue when this returns. */
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
    @Needs(QUEUE)
    void processWithManyThreadsDoesNotStarveAnotherProcess() {
        LockRequest<Lease> greedy = request(tck.interlock());
        LockRequest<Lease> modest = request(tck.interlock());
        AtomicBoolean enough = new AtomicBoolean();
        List<CompletableFuture<Void>> threads = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            threads.add(tck.thread(() -> {
                while (!enough.get()) {
                    greedy.run(lease -> {});
                }
                return null;
            }));
        }
        for (int i = 0; i < 10; i++) {
            tck.outcome("the modest one is served", modest.acquireAsync()).release();
        }
        enough.set(true);
        threads.forEach(thread -> tck.outcome("the greedy one ends", thread));
    }

    @Test
    @Needs({QUEUE, INTROSPECTION})
    void localPassesEndInFavourOfAnotherProcess() {
        int waiters = 1000;
        LockRequest<Lease> crowd = request(tck.interlock(Interlock.Builder::strictFifo));
        LockRequest<Lease> single = request(tck.interlock());
        Lease held = crowd.acquire();
        List<String> served = new CopyOnWriteArrayList<>();
        for (int i = 0; i < waiters; i++) {
            serve(crowd, "crowd", served);
        }
        serve(single, "single", served);
        StoreProcess observer = tck.process();
        tck.until("the single one waits in the store", () -> observer.waiters(key()) == 1);
        held.close();
        tck.until("all are served", () -> served.size() == waiters + 1);
        assertThat(served.indexOf("single")).isLessThan(waiters / 2);
    }

    private static void serve(LockRequest<Lease> request, String who, List<String> served) {
        request.acquireAsync().thenAccept(lease -> {
            served.add(who);
            lease.releaseAsync();
        });
    }

    @Test
    @Needs({QUEUE, INTROSPECTION})
    void placeInTheQueueOutlivesTheWaiterThatMadeIt() {
        StoreProcess holder = tck.process();
        Granted held = holder.ask(key()).granted();
        LockRequest<Lease> request = request(tck.interlock());
        PendingLease<Lease> first = request.acquireAsync();
        tck.until("the first one waits in the store", () -> holder.waiters(key()) == 1);
        Ask stranger = tck.process().ask(key()).queueing();
        stranger.queued();
        PendingLease<Lease> second = request.acquireAsync();
        assertThat(first.cancel()).isTrue();
        holder.release(held);
        tck.outcome("the second one has the first one's place", second).close();
        tck.until("the stranger comes next", () -> stranger.keepWaiting() instanceof WaitAnswer.Won);
    }

    @Test
    void passNeverShortensAFixedLease() {
        Duration lease = tck.lease().multipliedBy(3);
        LockRequest<Lease> request = request(tck.interlock()).leaseFor(lease).renew(false);
        Lease first = request.acquire();
        PendingLease<Lease> second = request.acquireAsync();
        tck.time().pass(lease.dividedBy(2));
        first.close();
        Lease passed = tck.outcome("the lock is passed on", second);
        assertThat(passed.remaining()).isGreaterThan(promised(lease));
    }

    @Test
    void passNeverGivesAShorterLeaseThanWasAskedFor() {
        Duration lease = tck.lease().multipliedBy(3);
        Locks locks = tck.interlock().locks();
        Lease first = locks.with(key()).leaseFor(tck.lease()).acquire();
        PendingLease<Lease> second = locks.with(key())
                .waitAtMost(TckCase.LONG)
                .leaseFor(lease)
                .renew(false)
                .acquireAsync();
        first.close();
        assertThat(tck.outcome("the lock is passed on", second).remaining()).isGreaterThan(promised(lease));
    }

    @Test
    void passLeavesARenewingLeaseAtLeastHalf() {
        Duration lease = tck.lease().multipliedBy(3);
        Locks locks = tck.interlock().locks();
        Lease first = locks.with(key()).leaseFor(lease).renew(false).acquire();
        PendingLease<Lease> second =
                locks.with(key()).waitAtMost(TckCase.LONG).leaseFor(lease).acquireAsync();
        tck.time().pass(lease.multipliedBy(2).dividedBy(3));
        first.close();
        Lease passed = tck.outcome("the lock is passed on", second);
        assertThat(passed.remaining()).isGreaterThan(lease.multipliedBy(2).dividedBy(5));
        tck.time().pass(lease);
        assertThat(passed.isHeld()).isTrue();
    }

    /** A lease less drift, margin, the store's resolution and the time an answer takes. */
    private Duration promised(Duration lease) {
        return lease.multipliedBy(3).dividedBy(4).minus(tck.capabilities().granularity());
    }
}
