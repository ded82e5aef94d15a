package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockScope;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.support.ScriptedBackend.Held;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.Optional;
import java.util.concurrent.CancellationException;
import java.util.concurrent.CyclicBarrier;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Holds that several leases of one scope share, while they are passed or cancelled. */
class JoinedHoldTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private PendingLease<Lease> ask() {
        return world.locks().with(KEY).waitAtMost(ofMinutes(1)).acquireAsync();
    }

    @Test
    void leasesThatJoinedStayValidWhenTheFirstRequestIsCancelledBeforeDelivery() {
        LockScope scope = world.locks().newScope("work");
        Lease first = world.locks().acquire(KEY);
        PendingLease<Lease> inScope =
                world.locks().with(KEY).in(scope).waitAtMost(ofMinutes(1)).acquireAsync();
        PendingLease<Lease> behind = ask();
        world.clock.hold("interlock-completions");
        first.close();
        Lease joined = world.locks().with(KEY).in(scope).reentrant().acquire();
        inScope.cancel();
        world.clock.letGo("interlock-completions");

        assertThat(failure(inScope)).isInstanceOf(CancellationException.class);
        assertThat(joined.isHeld()).isTrue();
        assertThat(isPending(behind)).isTrue();
        joined.close();
        assertThat(result(behind).isHeld()).isTrue();
    }

    @Test
    void requestThatEndsBeforeItsGrantLeavesNothingToJoin() {
        LockScope scope = world.locks().newScope("work");
        Held answer = world.wire.answerLate(Op.ATTEMPT);
        PendingLease<Lease> inScope =
                world.locks().with(KEY).in(scope).waitAtMost(ofMinutes(1)).acquireAsync();
        PendingLease<Lease> behind = ask();
        inScope.cancel();
        answer.go();

        assertThat(scope.held()).isEmpty();
        assertThat(result(behind).isHeld()).isTrue();
        assertThat(world.locks().with(KEY).in(scope).reentrant().tryAcquire()).isEmpty();
    }

    /**
     * A request finds the hold in its scope, but joins it only after it was passed on, and notices that a moment
     * later.
     */
    @Test
    void scopeThatReleasedItsLeaseHoldsNothingWhileAnotherScopeHasJoinedTheHold() {
        LockScope own = world.locks().newScope("own");
        LockScope next = world.locks().newScope("next");
        Lease first = world.locks().with(KEY).in(own).acquire();
        PendingLease<Lease> second =
                world.locks().with(KEY).in(next).waitAtMost(ofMinutes(1)).acquireAsync();
        PendingLease<Lease> third = ask();
        Hold hold = ((LeaseHandle) first).hold();
        first.close();

        assertThat(hold.join()).isTrue();
        result(second).close();
        assertThat(hold.leaveAndWasLast()).isTrue();
        ((Holds) hold.services()).giveUp(hold);

        assertThat(result(third).isHeld()).isTrue();
        assertThat(next.held()).isEmpty();
        assertThat(world.locks().with(KEY).in(next).reentrant().tryAcquire()).isEmpty();
    }

    @Test
    void joiningDuringAPassNeverGivesTwoHolders() throws Exception {
        ExecutorService threads = Executors.newFixedThreadPool(2);
        try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
            Locks locks = interlock.locks();
            CyclicBarrier together = new CyclicBarrier(2);
            long end = System.nanoTime() + ofMillis(800).toNanos();
            while (System.nanoTime() < end) {
                LockScope scope = locks.newScope("work");
                Lease own = locks.with(KEY).in(scope).acquire();
                PendingLease<Lease> other = locks.with(KEY).acquireAsync();
                Future<?> closing = threads.submit(() -> {
                    together.await();
                    own.close();
                    return null;
                });
                Future<Optional<Lease>> joining = threads.submit(() -> {
                    together.await();
                    return locks.with(KEY).in(scope).reentrant().tryAcquire();
                });
                Optional<Lease> joined = joining.get(5, TimeUnit.SECONDS);
                closing.get(5, TimeUnit.SECONDS);
                if (joined.isPresent() && joined.get().isHeld()) {
                    assertThat(isGranted(other)).as("joined and passed").isFalse();
                    joined.get().close();
                }
                other.toCompletableFuture().get(5, TimeUnit.SECONDS).close();
            }
        } finally {
            threads.shutdownNow();
        }
    }
}
