package dev.interlock.lock;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.spi.StoreException;
import dev.interlock.support.TwoProcesses;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** What an operator can see and do. */
class OperatorTest {
    private static final LockKey KEY = LockKey.of("report", "daily");

    private final TwoProcesses world = new TwoProcesses();
    private final LockOperator operator = world.ours.operator();

    @AfterEach
    void close() {
        world.close();
    }

    @Test
    void heldLockShowsHolderHoldTimeAndEnd() {
        Lease lease = world.others().acquire(KEY);
        world.advance(1_500);

        LockSnapshot lock = operator.inspect(KEY).orElseThrow();

        assertThat(lock.key()).isEqualTo(KEY);
        assertThat(lock.waiters()).isZero();
        assertThat(lock.holders()).singleElement().satisfies(holder -> {
            assertThat(holder.label()).isEqualTo("theirs");
            assertThat(holder.owner()).isEqualTo(lease.owner().toString());
            assertThat(holder.grant()).isEqualTo(lease.token().grant());
            assertThat(holder.heldFor()).isEqualTo(ofMillis(1_500));
            assertThat(holder.endsIn()).isBetween(ofSeconds(28), ofSeconds(30));
            assertThat(holder.mode()).isEqualTo(LockMode.EXCLUSIVE);
        });
    }

    @Test
    void processCountsOnceAmongTheWaiters() {
        world.others().acquire(KEY);
        for (int i = 0; i < 5; i++) {
            var unused = world.locks().acquireAsync(KEY);
        }

        assertThat(operator.inspect(KEY).orElseThrow().waiters()).isEqualTo(1);
    }

    @Test
    void freeLockIsNotListed() {
        assertThat(operator.inspect(KEY)).isEmpty();
        world.others().acquire(LockKey.of("report", "daily2"));
        assertThat(operator.inspect(KEY)).isEmpty();
    }

    @Test
    void pagesAreInTheOrderOfNames() {
        for (String name : new String[] {"b:2", "a:1", "b:1", "c:1", "b:3"}) {
            assertThat(world.others().tryAcquire(LockKey.of(name))).isPresent();
        }

        LockPage first = operator.list("b", Optional.empty(), 2);
        LockPage second = operator.list("b", first.next(), 2);

        assertThat(first.locks()).extracting(lock -> lock.key().name()).containsExactly("b:1", "b:2");
        assertThat(second.locks()).extracting(lock -> lock.key().name()).containsExactly("b:3");
        assertThat(second.next()).isEmpty();
        assertThat(first.takenAt()).isEqualTo(world.clock.wall());
    }

    @Test
    void forcedReleaseCountsHoldersAndTheNextTokenIsGreater() {
        Lease lease = world.others().acquire(KEY);
        assertThat(operator.forceRelease(KEY)).isEqualTo(1);
        assertThat(operator.forceRelease(KEY)).isZero();

        assertThat(world.locks().acquire(KEY).token()).isGreaterThan(lease.token());
    }

    @Test
    void forcedReleaseGrantsTheLockToTheNextWaiter() {
        world.others().acquire(KEY);
        PendingLease<Lease> waiting = world.locks().acquireAsync(KEY);

        operator.forceRelease(KEY);

        assertThat(TwoProcesses.result(waiting).isHeld()).isTrue();
    }

    @Test
    void unavailableStoreIsReported() {
        world.wire.down(() -> StoreException.notSent("down", null));

        assertThatThrownBy(() -> operator.inspect(KEY)).isInstanceOf(StoreUnavailableException.class);
    }

    @Test
    void refusalOfTheStoreIsReportedWithItsReason() {
        world.wire.down(() -> StoreException.refused("not now"));

        assertThatThrownBy(() -> operator.inspect(KEY))
                .isInstanceOf(LockRefusedException.class)
                .hasMessage("not now");
    }
}
