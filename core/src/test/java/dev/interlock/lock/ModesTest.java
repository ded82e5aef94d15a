package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Shared holds and permits, within a process and across processes. */
class ModesTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private LockRequest<Lease> ours() {
        return world.locks().with(KEY).in(world.locks().newScope("s")).waitAtMost(ofSeconds(20));
    }

    private LockRequest<Lease> theirs() {
        return world.others().with(KEY).in(world.others().newScope("s")).waitAtMost(ofSeconds(20));
    }

    @Test
    void sharedHoldersExcludeExclusiveOnes() {
        Lease first = ours().shared().acquire();
        Lease second = ours().shared().acquire();
        Lease third = theirs().shared().acquire();

        assertThat(ours().tryAcquire()).isEmpty();
        assertThat(theirs().tryAcquire()).isEmpty();
        first.close();
        second.close();
        assertThat(ours().tryAcquire()).isEmpty();
        third.close();
        assertThat(ours().tryAcquire()).isPresent();
    }

    @Test
    void exclusiveHolderExcludesSharedOnes() {
        Lease exclusive = ours().acquire();

        assertThat(ours().shared().tryAcquire()).isEmpty();
        assertThat(theirs().shared().tryAcquire()).isEmpty();
        exclusive.close();
        assertThat(theirs().shared().tryAcquire()).isPresent();
    }

    @Test
    void waitingExclusiveRequestIsNotStarvedByNewSharedOnes() {
        Lease reader = theirs().shared().acquire();
        PendingLease<Lease> writer = ours().acquireAsync();

        PendingLease<Lease> later = theirs().shared().acquireAsync();

        assertThat(isPending(later)).isTrue();
        reader.close();
        assertThat(result(writer).isHeld()).isTrue();
        result(writer).close();
        world.advance(500);
        assertThat(result(later).isHeld()).isTrue();
    }

    @Test
    void permitsAreCountedAcrossProcesses() {
        Lease two = ours().permits(2, 5).acquire();
        Lease three = theirs().permits(3, 5).acquire();

        assertThat(ours().permits(1, 5).tryAcquire()).isEmpty();
        assertThat(theirs().permits(1, 5).tryAcquire()).isEmpty();
        two.close();
        assertThat(ours().permits(3, 5).tryAcquire()).isEmpty();
        assertThat(ours().permits(2, 5).tryAcquire()).isPresent();
        assertThat(three.isHeld()).isTrue();
    }

    @Test
    void permitsOfOneProcessAreCountedBeforeTheStoreIsCalled() {
        List<Lease> held = new ArrayList<>();
        for (int i = 0; i < 3; i++) {
            held.add(ours().permits(1, 3).acquire());
        }
        PendingLease<Lease> fourth = ours().permits(1, 3).acquireAsync();
        assertThat(isPending(fourth)).isTrue();

        held.get(1).close();

        assertThat(result(fourth).isHeld()).isTrue();
        assertThat(result(fourth).mode()).isEqualTo(LockMode.PERMITS);
    }

    @Test
    void permitsAndOtherModesExcludeEachOther() {
        Lease permit = ours().permits(1, 3).acquire();

        assertThat(theirs().shared().tryAcquire()).isEmpty();
        assertThat(theirs().tryAcquire()).isEmpty();
        assertThat(ours().shared().tryAcquire()).isEmpty();
        permit.close();
        assertThat(theirs().shared().tryAcquire()).isPresent();
    }

    @Test
    void exclusiveUndoesShared() {
        ours().shared().exclusive().acquire();

        assertThat(theirs().shared().tryAcquire()).isEmpty();
    }

    @Test
    void severalKeysCanBeShared() {
        List<LockKey> keys = List.of(LockKey.of("a"), LockKey.of("b"));
        LeaseSet first = world.locks().with(keys).shared().acquire();
        LeaseSet second = world.others().with(keys).shared().acquire();

        assertThat(first.of(keys.get(0)).mode()).isEqualTo(LockMode.SHARED);
        assertThat(second.isHeld()).isTrue();
    }
}
