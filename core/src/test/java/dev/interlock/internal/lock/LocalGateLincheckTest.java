package dev.interlock.internal.lock;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Backend;
import dev.interlock.spi.Environment;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.StoreCapabilities;
import dev.interlock.spi.StoreContext;
import java.time.Instant;
import java.util.ArrayDeque;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.atomic.AtomicReference;
import java.util.random.RandomGenerator;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.jetbrains.lincheck.datastructures.ThreadIdGen;
import org.jetbrains.lincheck.datastructures.Validate;
import org.jetbrains.lincheck.datastructures.verifier.EpsilonVerifier;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * The local gate under three threads, tested through the engine. Executors run inline and the clock stands still, so
 * the three threads do all the work.
 *
 * <p>Exclusive requests are compared with {@link FairLock}, a fair lock that takes one call at a time. That is too
 * strict for shared requests: of two that arrive at the same moment, one waits while the other one asks the store, so
 * {@code tryAcquire} may return empty although no order of the two explains it (its Javadoc says so). For these,
 * {@link SharedByTwo} checks that holders never exclude each other, that tokens grow, and that in the end no request
 * is still waiting.
 */
@Tag("slow")
public class LocalGateLincheckTest {
    private static final LockKey KEY = LockKey.of("gate");
    private static final int MANY = Boolean.getBoolean("interlock.soak") ? 600 : 60;

    @Test
    void exclusiveRequestsBehaveLikeAFairLock() {
        check(stress(20).sequentialSpecification(FairLock.class), AsFairLock.class);
    }

    @Test
    @Tag("full")
    void exclusiveRequestsBehaveLikeAFairLockInManyRuns() {
        check(stress(MANY).sequentialSpecification(FairLock.class), AsFairLock.class);
    }

    @Test
    @Tag("full")
    void blockedThreadsAreWokenAndExcludeEachOther() {
        check(stress(MANY), Counter.class);
    }

    @Test
    @Tag("full")
    void noRequestIsForgottenWhenTwoProcessesShare() {
        check(stress(MANY).verifier(EpsilonVerifier.class), SharedByTwo.class);
    }

    /** Stress and not model checking: for a whole engine, model checking takes minutes where stress takes seconds. */
    private static StressOptions stress(int iterations) {
        return new StressOptions().iterations(iterations).invocationsPerIteration(250);
    }

    private static void check(StressOptions options, Class<?> operations) {
        options.threads(3).actorsBefore(0).actorsPerThread(4).actorsAfter(1).check(operations);
    }

    private static Locks locksOver(InMemoryBackend backend, Environment environment, boolean strictFifo) {
        Interlock.Builder builder =
                Interlock.builder(new TwoModes(backend)).name("lincheck").environment(environment);
        return (strictFifo ? builder.strictFifo() : builder).build().locks();
    }

    /** Exclusive requests that do not block. Each thread has at most one. */
    @Param(name = "me", gen = ThreadIdGen.class)
    public static class AsFairLock {
        private final Locks locks = locksOver(InMemoryBackend.create(() -> 0, 1), new Standstill(1), true);
        private final Slot[] slots = slots();

        /** Only asks. Another call checks the result, since the lock may change hands between asking and checking. */
        @Operation(params = "me")
        public void acquire(int me) {
            if (slots[me].isEmpty()) {
                slots[me].pending = locks.acquireAsync(KEY);
            }
        }

        @Operation(params = "me")
        public String tryAcquire(int me) {
            if (!slots[me].isEmpty()) {
                return state(me);
            }
            // A scope of its own: Lincheck runs the final operations on one of the three threads.
            slots[me].lease =
                    locks.with(KEY).in(locks.newScope("try")).tryAcquire().orElse(null);
            return slots[me].lease == null ? "nothing" : "granted";
        }

        @Operation(params = "me")
        public String state(int me) {
            return slots[me].isEmpty() ? "nothing" : slots[me].granted() == null ? "waiting" : "granted";
        }

        @Operation(params = "me")
        public String cancel(int me) {
            slots[me].cancel();
            return state(me);
        }

        @Operation(params = "me")
        public String release(int me) {
            Lease lease = slots[me].granted();
            if (lease == null) {
                // Not checked again: it may be granted by now, and this call would have seen two different moments.
                return slots[me].isEmpty() ? "nothing" : "waiting";
            }
            slots[me].clear();
            return lease.release().name();
        }
    }

    /** The sequential specification of {@link AsFairLock}: a queue whose head has the lock. */
    public static class FairLock {
        private final Deque<Integer> queue = new ArrayDeque<>();

        public void acquire(int me) {
            if (!queue.contains(me)) {
                queue.add(me);
            }
        }

        public String tryAcquire(int me) {
            if (queue.isEmpty()) {
                acquire(me);
            }
            return state(me);
        }

        public String state(int me) {
            return !queue.contains(me) ? "nothing" : queue.getFirst() == me ? "granted" : "waiting";
        }

        public String cancel(int me) {
            if (state(me).equals("waiting")) {
                queue.remove(me);
            }
            return state(me);
        }

        public String release(int me) {
            if (!state(me).equals("granted")) {
                return state(me);
            }
            queue.remove(me);
            return ReleaseResult.RELEASED.name();
        }
    }

    /**
     * Threads that block and barge within the limit. Each one changes a plain field while it has the lock, so an
     * overlap loses an update. Lincheck reports a thread that is never woken as hung.
     */
    public static class Counter {
        private final Locks locks = locksOver(InMemoryBackend.create(() -> 0, 1), new Standstill(1), false);
        private int count;

        @Operation
        public int next() {
            return locks.call(KEY, lease -> ++count);
        }

        /**
         * Has no effect if it has the lock alone. Its result is ignored, since a lock that is being passed on counts
         * as taken.
         */
        @Operation
        public void tryNothing() {
            locks.tryRun(KEY, lease -> {
                count++;
                count--;
            });
        }
    }

    /** Exclusive and shared requests of two processes. Some are cancelled. */
    @Param(name = "me", gen = ThreadIdGen.class)
    @Param(name = "process", gen = IntGen.class, conf = "0:1")
    @Param(name = "shared", gen = BooleanGen.class)
    public static class SharedByTwo {
        private final List<Standstill> environment = List.of(new Standstill(1), new Standstill(2));
        private final InMemoryBackend backend =
                InMemoryBackend.create(() -> environment.get(0).nanos(), 1);
        private final List<Locks> processes =
                List.of(locksOver(backend, environment.get(0), false), locksOver(backend, environment.get(1), true));
        private final Slot[] slots = slots();
        private final Holders holders = new Holders();

        @Operation(params = {"me", "process", "shared"})
        public void acquire(int me, int process, boolean shared) {
            if (slots[me].isEmpty()) {
                PendingLease<Lease> pending = request(process, shared).acquireAsync();
                slots[me].pending = pending;
                slots[me].noted = pending.thenAccept(holders::enter).toCompletableFuture();
            }
        }

        @Operation(params = {"me", "process", "shared"})
        public void tryAcquire(int me, int process, boolean shared) {
            if (slots[me].isEmpty()) {
                slots[me].lease = request(process, shared).tryAcquire().orElse(null);
                if (slots[me].lease != null) {
                    holders.enter(slots[me].lease);
                }
            }
        }

        private LockRequest<Lease> request(int process, boolean shared) {
            Locks locks = processes.get(process);
            LockRequest<Lease> request = locks.with(KEY).in(locks.newScope("one"));
            return shared ? request.shared() : request.exclusive();
        }

        @Operation(params = "me")
        public void cancel(int me) {
            slots[me].cancel();
        }

        @Operation(params = "me")
        public boolean release(int me) {
            Lease lease = slots[me].granted();
            if (lease == null) {
                return false;
            }
            slots[me].clear();
            holders.leave(lease);
            lease.release();
            return true;
        }

        /**
         * After all operations, every holder releases the lock until it is free. Then no request may be left waiting.
         * A push may have been lost on a request that was being cancelled; the waiter that takes over its place finds
         * the grant with the next heartbeat, not later.
         */
        @Validate
        public void noRequestIsForgotten() {
            releaseAll();
            environment.forEach(Standstill::passOneHeartbeat);
            releaseAll();
            for (int me = 0; me < slots.length; me++) {
                if (!slots[me].isEmpty()) {
                    throw new IllegalStateException(
                            "The lock is free, and the request of thread " + me + " still waits");
                }
            }
            for (int process = 0; process < processes.size(); process++) {
                if (request(process, false).tryAcquire().map(Lease::release).isEmpty()) {
                    throw new IllegalStateException("The lock is free, and process " + process + " does not get it");
                }
            }
            holders.check();
        }

        private void releaseAll() {
            boolean released = true;
            while (released) {
                released = false;
                for (int me = 0; me < slots.length; me++) {
                    released |= release(me);
                }
            }
        }
    }

    /** The holders of the lock, as they see it themselves. */
    private static final class Holders {
        /** The number of shared holders; -1 for an exclusive holder. */
        private final AtomicInteger sharing = new AtomicInteger();

        private final AtomicLong newest = new AtomicLong();
        private final AtomicLong newestExclusive = new AtomicLong();
        private final AtomicReference<String> violation = new AtomicReference<>();

        void enter(Lease lease) {
            long token = lease.token().value();
            boolean alone = lease.mode() == LockMode.EXCLUSIVE;
            int before = sharing.getAndUpdate(now -> alone ? -1 : now + 1);
            if (alone ? before != 0 : before < 0) {
                violation.set("Token " + token + " came while the lock was held, " + before);
            }
            if (token <= (alone ? newest : newestExclusive).get()) {
                violation.set("Token " + token + " is not larger than an earlier one");
            }
            newest.accumulateAndGet(token, Math::max);
            if (alone) {
                newestExclusive.set(token);
            }
        }

        void leave(Lease lease) {
            sharing.getAndUpdate(now -> lease.mode() == LockMode.EXCLUSIVE ? 0 : now - 1);
        }

        void check() {
            if (violation.get() != null) {
                throw new IllegalStateException(violation.get());
            }
        }
    }

    /** The request of one thread. Only that thread uses it. */
    private static final class Slot {
        PendingLease<Lease> pending;
        CompletableFuture<Void> noted = CompletableFuture.completedFuture(null);
        Lease lease;

        boolean isEmpty() {
            return pending == null && lease == null;
        }

        /** The lease, if it was granted and this was recorded. */
        Lease granted() {
            if (pending != null && noted.isDone()) {
                return pending.toCompletableFuture().getNow(null);
            }
            return lease;
        }

        void cancel() {
            if (pending != null && pending.cancel()) {
                clear();
            }
        }

        void clear() {
            pending = null;
            lease = null;
        }
    }

    private static Slot[] slots() {
        // Lincheck numbers its threads from 1; 0 runs the initial operations and 4 the final ones.
        Slot[] slots = new Slot[5];
        Arrays.setAll(slots, me -> new Slot());
        return slots;
    }

    /**
     * The backend without permits. Lincheck gives every object a new hash code, so a look-up in an older hash set of
     * enums fails. A set of two elements is not searched by hash.
     */
    private record TwoModes(InMemoryBackend backend) implements Backend {
        @Override
        public String name() {
            return backend.name();
        }

        @Override
        public StoreCapabilities capabilities() {
            StoreCapabilities all = backend.capabilities();
            return all.toBuilder()
                    .modes(Set.of(LockMode.EXCLUSIVE, LockMode.SHARED))
                    .build();
        }

        @Override
        public LockStore openLocks(StoreContext context) {
            return backend.openLocks(context);
        }

        @Override
        public void close() {}
    }

    /** Time passes only on request, and every task runs on the thread that submits it. */
    private static final class Standstill implements Environment {
        private final Random random;
        private long nanos;
        private Alarm alarm;

        Standstill(long seed) {
            random = new Random(seed);
        }

        void passOneHeartbeat() {
            nanos += Protocol.HEARTBEAT_NANOS;
            alarm.ring(nanos);
        }

        @Override
        public long nanos() {
            return nanos;
        }

        @Override
        public long noticeSuspend() {
            return 0;
        }

        @Override
        public Instant wall() {
            return Instant.EPOCH;
        }

        @Override
        public RandomGenerator random() {
            return random;
        }

        @Override
        public void drive(Alarm driven) {
            alarm = driven;
            alarm.onEarlier(() -> {});
        }

        @Override
        public Executor serial(String name) {
            return Runnable::run;
        }

        @Override
        public Executor pool(String name, int threads) {
            return Runnable::run;
        }

        @Override
        public void close() {}
    }
}
