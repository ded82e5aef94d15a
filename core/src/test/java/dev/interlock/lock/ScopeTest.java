package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.support.Blocked;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.io.IOException;
import java.lang.ref.WeakReference;
import java.util.List;
import java.util.concurrent.Callable;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Scopes: re-entry, lock order, and work that spans threads. */
class ScopeTest {
    private static final LockKey KEY = LockKey.of("k");
    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    private final TwoProcesses world = new TwoProcesses();
    private final Locks locks = world.locks();

    @AfterEach
    void close() {
        world.close();
    }

    @Nested
    class WhenTheScopeAlreadyHoldsTheKey {
        private final Lease outer = locks.acquire(KEY);

        @Test
        void secondRequestIsRefusedAtOnceWithAlreadyHeldException() {
            world.advance(70);

            assertThatThrownBy(() -> locks.acquire(KEY))
                    .isInstanceOfSatisfying(
                            AlreadyHeldException.class,
                            refused -> assertThat(refused.key()).isEqualTo(KEY))
                    .hasMessageContaining(
                            "held already by thread " + Thread.currentThread().getName())
                    .hasMessageContaining("for 70 ms")
                    .hasMessageContaining("reentrant()");
            assertThatThrownBy(() -> locks.tryAcquire(KEY)).isInstanceOf(AlreadyHeldException.class);
            assertThat(outer.isHeld()).isTrue();
        }

        @Test
        void reentrantRequestJoinsWithTheSameTokenAndNoStoreCall() {
            int attempts = world.wire.calls(Op.ATTEMPT);

            Lease inner = locks.with(KEY).reentrant().acquire();

            assertThat(inner.token()).isEqualTo(outer.token());
            assertThat(inner.owner()).isEqualTo(outer.owner());
            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(attempts);
        }

        @Test
        void lockIsReleasedWhenTheLastJoinedLeaseIsClosed() {
            Lease inner = locks.with(KEY).reentrant().acquire();
            assertThat(outer.release()).isEqualTo(ReleaseResult.RELEASED);
            assertThat(outer.isHeld()).isFalse();
            assertThat(inner.isHeld()).isTrue();
            assertThat(world.others().tryAcquire(KEY)).isEmpty();

            assertThat(inner.release()).isEqualTo(ReleaseResult.RELEASED);

            assertThat(world.others().tryAcquire(KEY)).isPresent();
            assertThat(locks.currentScope().held()).isEmpty();
        }

        @Test
        void lossIsReportedToEveryJoinedLease() {
            Lease inner = locks.with(KEY).reentrant().acquire();
            world.wire.listener().sessionLost(LossReason.SESSION_LOST);

            assertThat(result(outer.lost())).isEqualTo(LossReason.SESSION_LOST);
            assertThat(result(inner.lost())).isEqualTo(LossReason.SESSION_LOST);
            assertThat(locks.with(KEY).acquire().token()).isGreaterThan(outer.token());
        }

        @Test
        void exclusiveHoldMayBeJoinedAsShared() {
            assertThat(locks.with(KEY).shared().reentrant().acquire().token()).isEqualTo(outer.token());
        }

        @Test
        void otherThreadIsAnotherScope() {
            Blocked<Boolean> other =
                    Blocked.in(() -> locks.with(KEY).reentrant().tryAcquire().isPresent());

            assertThat(other.result()).isFalse();
        }
    }

    @Nested
    class WhenAHoldCannotBeJoined {
        @Test
        void sharedHoldCannotBeJoinedAsExclusive() {
            locks.with(KEY).shared().acquire();

            assertThatThrownBy(() -> locks.with(KEY).reentrant().acquire())
                    .isInstanceOf(AlreadyHeldException.class)
                    .hasMessageContaining("a shared hold is not widened");
            assertThat(locks.with(KEY).shared().reentrant().acquire().isHeld()).isTrue();
        }

        @Test
        void permitsCannotBeJoined() {
            locks.with(KEY).permits(1, 3).acquire();

            assertThatThrownBy(() -> locks.with(KEY).permits(1, 3).reentrant().acquire())
                    .isInstanceOf(AlreadyHeldException.class)
                    .hasMessageContaining("permits are not joined");
        }

        @Test
        void setCanOnlyBeJoinedAsAWhole() {
            LeaseSet set = locks.with(List.of(A, B)).acquire();

            assertThatThrownBy(() -> locks.with(A).reentrant().acquire())
                    .isInstanceOf(AlreadyHeldException.class)
                    .hasMessageContaining("a set is joined as a whole");
            assertThatThrownBy(() -> locks.with(List.of(B, KEY)).reentrant().acquire())
                    .isInstanceOf(AlreadyHeldException.class);
            LeaseSet again = locks.with(List.of(B, A)).reentrant().acquire();
            assertThat(again.token(A)).isEqualTo(set.token(A));
            assertThat(again.token(B)).isEqualTo(set.token(B));
        }
    }

    @Nested
    class WhenTheRequestNamesAScope {
        private final LockScope scope = locks.newScope("import");

        @Test
        void asynchronousRequestsUseOnlyTheNamedScope() {
            locks.acquire(KEY);
            PendingLease<Lease> noScope = locks.acquireAsync(KEY);
            assertThat(isPending(noScope)).isTrue();
            assertThatThrownBy(() -> locks.with(KEY).reentrant().acquireAsync())
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("in(scope)");
            noScope.cancel();
        }

        @Test
        void scopeContainsLeasesOfSeveralThreads() {
            Lease first = result(locks.with(A).in(scope).acquireAsync());
            Lease joined = result(locks.with(A).in(scope).reentrant().acquireAsync());
            Blocked<Lease> other = Blocked.in(() -> locks.with(B).in(scope).acquire());

            assertThat(joined.token()).isEqualTo(first.token());
            assertThat(other.result().isHeld()).isTrue();
            assertThat(scope.held()).containsExactly(A, B);
            assertThat(locks.currentScope().held()).isEmpty();
            assertThat(scope.name()).startsWith("import");
        }

        @Test
        void threadIsBoundToTheScopeDuringACall() throws IOException {
            scope.run(() -> {
                locks.acquire(A);
                assertThat(locks.currentScope()).isSameAs(scope);
            });
            LockKey got = scope.call(() -> locks.with(A).reentrant().acquire().key());

            assertThat(got).isEqualTo(A);
            assertThat(scope.held()).containsExactly(A);
            assertThat(locks.currentScope()).isNotSameAs(scope);
            assertThatThrownBy(() -> scope.run(() -> {
                        throw new IOException("no");
                    }))
                    .isInstanceOf(IOException.class);
            assertThat(locks.currentScope()).isNotSameAs(scope);
        }

        @Test
        void leaseMayBeClosedFromAnyThread() {
            Lease lease = locks.with(A).in(scope).acquire();

            Blocked.in(lease::release).result();

            assertThat(scope.held()).isEmpty();
            assertThat(world.others().tryAcquire(A)).isPresent();
        }

        @Test
        void scopeOfAnotherInterlockIsRefused() {
            LockScope foreign = world.others().newScope("foreign");

            assertThatThrownBy(() -> locks.with(A).in(foreign))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("another Interlock")
                    .hasMessageContaining("newScope");
        }
    }

    @Nested
    class WhenTheOrderIsViolated {
        @Test
        void waitAgainstTheOrderIsRefusedAndAskingWithoutWaitingIsAllowed() {
            locks.acquire(B);

            assertThatThrownBy(() -> locks.acquire(A))
                    .isInstanceOf(LockOrderException.class)
                    .hasMessageContaining("\"a\"")
                    .hasMessageContaining("holds \"b\"")
                    .hasMessageContaining("Take both in one request");
            assertThatThrownBy(() -> locks.tryAcquire(A, ofSeconds(1))).isInstanceOf(LockOrderException.class);
            assertThat(locks.tryAcquire(A)).isPresent();
        }

        @Test
        void closedLeasesDoNotCount() {
            locks.acquire(B).close();

            assertThat(locks.acquire(A).isHeld()).isTrue();
            assertThat(locks.acquire(B).isHeld()).isTrue();
        }

        @Test
        void otherScopesDoNotCount() {
            locks.acquire(B);

            assertThat(locks.with(A).in(locks.newScope("other")).acquire().isHeld())
                    .isTrue();
            assertThat(result(locks.acquireAsync(LockKey.of("aa"))).isHeld()).isTrue();
        }
    }

    @Test
    void livingThreadDoesNotRetainAClosedInterlock() throws Exception {
        ExecutorService thread = Executors.newSingleThreadExecutor();
        try {
            WeakReference<Locks> closed = thread.submit(() -> {
                        Interlock other = Interlock.over(InMemoryBackend.create());
                        other.locks().run(A, lease -> {});
                        other.close();
                        return new WeakReference<>(other.locks());
                    })
                    .get();
            Awaitility.await().until(() -> {
                System.gc();
                return closed.refersTo(null);
            });
        } finally {
            thread.shutdownNow();
        }
    }

    @Nested
    class WhenAnExecutorCarriesTheScope {
        private final ExecutorService threads = Executors.newSingleThreadExecutor();
        private final ExecutorService carrying = locks.carryingScope(threads);

        @AfterEach
        void shutDown() {
            threads.shutdownNow();
        }

        @Test
        void taskRunsInTheScopeOfItsSubmitter() throws Exception {
            LockScope work = locks.newScope("work");
            work.call(() -> locks.acquire(B));

            Future<LockScope> seen = work.call(() -> carrying.submit(locks::currentScope));
            Future<?> refused = work.call(() -> carrying.submit(() -> locks.acquire(A)));

            assertThat(seen.get()).isSameAs(work);
            assertThatThrownBy(refused::get).hasCauseInstanceOf(LockOrderException.class);
            assertThat(threads.submit(locks::currentScope).get())
                    .as("without a carried scope")
                    .isNotSameAs(work);
            assertThat(CompletableFuture.supplyAsync(locks::currentScope, locks.carryingScope((Executor) threads))
                            .get())
                    .isSameAs(locks.currentScope());
        }

        @Test
        void tasksOfABatchRunInTheScopeOfTheirSubmitter() throws Exception {
            LockScope work = locks.newScope("work");
            List<Callable<LockScope>> tasks = List.of(locks::currentScope, locks::currentScope);

            List<Future<LockScope>> all = work.call(() -> carrying.invokeAll(tasks));
            assertThat(all.get(0).get()).isSameAs(work).isSameAs(all.get(1).get());
            LockScope any = work.call(() -> carrying.invokeAny(tasks));
            assertThat(any).isSameAs(work);
        }

        @Test
        void taskThatNeverStartedIsReturnedAsItsFuture() throws Exception {
            CountDownLatch begun = new CountDownLatch(1);
            CountDownLatch over = new CountDownLatch(1);
            Future<Boolean> running = carrying.submit(() -> {
                begun.countDown();
                return over.await(1, TimeUnit.MINUTES);
            });
            begun.await();
            Future<Integer> queued = carrying.submit(() -> 2);

            assertThat(carrying.shutdownNow()).hasSize(1).first().isSameAs(queued);
            assertThatThrownBy(running::get).hasCauseInstanceOf(InterruptedException.class);
        }

        @Test
        void shutDownReachesTheWrappedService() throws Exception {
            assertThat(carrying.isShutdown()).isFalse();
            carrying.shutdown();
            assertThat(carrying.awaitTermination(5, TimeUnit.SECONDS)).isTrue();
            assertThat(threads.isTerminated()
                            && carrying.isTerminated()
                            && carrying.shutdownNow().isEmpty())
                    .isTrue();
        }
    }
}
