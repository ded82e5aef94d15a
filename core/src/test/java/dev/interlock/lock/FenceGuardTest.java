package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** The rules by which a resource accepts or rejects a token. */
class FenceGuardTest {
    private static final LockKey KEY = LockKey.of("account", "1");

    private final TwoProcesses world = new TwoProcesses();
    private final FenceGuard guard = new FenceGuard();

    @AfterEach
    void close() {
        world.close();
    }

    private Lease takeOver() {
        world.theirs.operator().forceRelease(KEY);
        world.advance(11_000); // the former holder is notified at its next renewal
        return world.others()
                .with(KEY)
                .in(world.others().newScope("s"))
                .tryAcquire()
                .orElseThrow();
    }

    @Test
    void newerTokenRejectsTheOlderOne() {
        Lease old = world.locks().acquire(KEY);
        guard.raise(old);
        Lease young = takeOver();
        guard.raise(young);

        assertThatThrownBy(() -> guard.check(old))
                .isInstanceOfSatisfying(StaleTokenException.class, stale -> {
                    assertThat(stale.key()).isEqualTo(KEY);
                    assertThat(stale.refused()).isEqualTo(old.token());
                    assertThat(stale.newest()).isEqualTo(young.token());
                })
                .hasMessageContaining("Stop the work and acquire again");
        assertThatThrownBy(() -> guard.raise(old)).isInstanceOf(StaleTokenException.class);
        guard.check(young);
    }

    @Test
    void staleWriteIsNotCarriedOut() {
        List<String> writes = new ArrayList<>();
        Lease old = world.locks().acquire(KEY);
        guard.run(old, () -> writes.add("old"));
        guard.run(takeOver(), () -> writes.add("young"));

        assertThatThrownBy(() -> guard.run(old, () -> writes.add("late"))).isInstanceOf(StaleTokenException.class);
        assertThat(writes).containsExactly("old", "young");
    }

    @Test
    void failedWriteStillRaisesTheFence() {
        Lease old = world.locks().acquire(KEY);
        Lease young = takeOver();

        assertThatThrownBy(() -> guard.run(young, () -> {
                    throw new IllegalStateException("write failed");
                }))
                .hasMessage("write failed");
        assertThatThrownBy(() -> guard.check(old)).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void sameOwnerMayWriteAgainWithTheSameToken() {
        Lease lease = world.locks().acquire(KEY);
        guard.raise(lease);
        guard.raise(lease);
        guard.check(world.locks().with(KEY).reentrant().acquire());
    }

    @Test
    void equalTokenOfAnotherOwnerIsRefused() {
        Lease ours = world.locks().acquire(KEY);
        guard.raise(ours);
        try (TwoProcesses otherStore = new TwoProcesses()) {
            Lease same = otherStore.others().acquire(KEY);
            assertThat(same.token()).isEqualTo(ours.token());

            assertThatThrownBy(() -> guard.check(same)).isInstanceOf(StaleTokenException.class);
        }
    }

    @Test
    void eachKeyHasItsOwnFence() {
        Lease first = world.locks().acquire(LockKey.of("a"));
        Lease second = world.locks().acquire(LockKey.of("b"));
        guard.raise(second);

        guard.raise(first);
    }

    @Test
    void sharedLeasePassesUntilANewerTokenIsRaisedAndDoesNotRaise() {
        Lease writer = world.locks().acquire(KEY);
        guard.raise(writer);
        writer.close();
        Lease reader = world.locks().with(KEY).shared().acquire();
        Lease other = world.others().with(KEY).shared().acquire();
        guard.check(other);
        guard.check(reader);
        assertThatThrownBy(() -> guard.raise(reader))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("only an exclusive lease can");

        guard.raise(takeOver());

        assertThatThrownBy(() -> guard.check(reader)).isInstanceOf(StaleTokenException.class);
    }

    @Test
    void permitsAreRefused() {
        Lease permit = world.locks().with(KEY).permits(1, 2).acquire();

        assertThatThrownBy(() -> guard.raise(permit)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> guard.check(permit))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("no order to enforce");
        assertThatThrownBy(() -> guard.run(permit, () -> {})).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void leaseThatWasPassedOnRejectsItsPredecessor() {
        Lease first = world.locks().acquire(KEY);
        PendingLease<Lease> next = world.locks().acquireAsync(KEY);
        guard.raise(first);
        first.close();
        guard.raise(TwoProcesses.result(next));

        assertThatThrownBy(() -> guard.check(first)).isInstanceOf(StaleTokenException.class);
    }
}
