package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.Interlock;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.Locks;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.locks.Lock;
import org.junit.jupiter.api.Test;

/**
 * Two requests never hold a key at the same time, and tokens grow in the order of holding, with many contending
 * threads.
 */
abstract class ExclusionCases {
    private static final int THREADS = 32;

    private final TckCase tck;

    ExclusionCases(TckCase tck) {
        this.tck = tck;
    }

    /**
     * Deliberately without any synchronization: two threads inside at the same time lose updates or break the list.
     */
    private static final class Unguarded {
        private int inside;
        private int entered;
        private int maxInside;
        private final List<FencingToken> tokens = new ArrayList<>();

        void enter(FencingToken token) {
            enter();
            tokens.add(token);
        }

        void enter() {
            inside++;
            maxInside = Math.max(maxInside, inside);
            entered++;
            inside--;
        }
    }

    private LockKey key() {
        return tck.key("contended");
    }

    private Unguarded contend(Interlock... interlocks) {
        Unguarded counter = new Unguarded();
        tck.threads(THREADS, index -> {
            Locks locks = interlocks[index % interlocks.length].locks();
            for (int i = 0; i < tck.kit().rounds(); i++) {
                locks.with(key()).waitAtMost(TckCase.LONG).run(lease -> counter.enter(lease.token()));
            }
        });
        return counter;
    }

    private void assertNoUpdateLost(Unguarded counter) {
        assertThat(counter.entered).isEqualTo(THREADS * tck.kit().rounds());
        assertThat(counter.maxInside).isEqualTo(1);
        assertThat(counter.inside).as("threads inside at the end").isZero();
    }

    private static void assertStrictlyGrowing(List<FencingToken> tokens) {
        assertThat(tokens).isSorted().doesNotHaveDuplicates();
    }

    @Test
    void threadsOfOneInterlockNeverHoldTogether() {
        Unguarded counter = contend(tck.interlock());
        assertNoUpdateLost(counter);
        assertStrictlyGrowing(counter.tokens);
    }

    @Test
    void threadsOfOneInterlockInStrictOrderNeverHoldTogether() {
        Unguarded counter = contend(tck.interlock(Interlock.Builder::strictFifo));
        assertNoUpdateLost(counter);
        assertStrictlyGrowing(counter.tokens);
    }

    @Test
    void threadsOfTwoInterlocksNeverHoldTogether() {
        Unguarded counter = contend(tck.interlock(), tck.interlock());
        assertNoUpdateLost(counter);
        assertStrictlyGrowing(counter.tokens);
    }

    @Test
    void threadsThatUseTheJavaLockViewNeverHoldTogether() {
        Interlock interlock =
                tck.interlock(builder -> builder.defaults(LockSettings.inherit().waitAtMost(TckCase.LONG)));
        Lock lock = interlock.locks().asLock(key());
        Unguarded counter = new Unguarded();
        tck.threads(THREADS, index -> {
            for (int i = 0; i < tck.kit().rounds(); i++) {
                lock.lock();
                try {
                    counter.enter();
                } finally {
                    lock.unlock();
                }
            }
        });
        assertNoUpdateLost(counter);
    }

    @Test
    void tokensGrowAcrossLocalPassesAndStoreGrants() {
        Locks one = tck.interlock().locks();
        Locks other = tck.interlock().locks();
        List<FencingToken> tokens = new ArrayList<>();
        for (int round = 0; round < 10; round++) {
            Lease held = tck.outcome("the lock is acquired", one.acquireAsync(key()));
            tokens.add(held.token());
            for (int i = 0; i < 5; i++) {
                var next = one.with(key()).waitAtMost(TckCase.LONG).acquireAsync();
                held.release();
                held = tck.outcome("the lock is passed on", next);
                tokens.add(held.token());
            }
            held.release();
            Lease inOtherProcess = tck.outcome("the other process has the lock", other.acquireAsync(key()));
            tokens.add(inOtherProcess.token());
            inOtherProcess.release();
        }
        assertStrictlyGrowing(tokens);
    }

    @Test
    void busyKeyIsRefusedAndFreeKeyIsGrantedAtOnce() {
        Locks one = tck.interlock().locks();
        Locks other = tck.interlock().locks();
        try (Lease lease = one.acquire(key())) {
            assertThat(lease.isHeld()).as("the lease of a free key is held").isTrue();
            assertThat(other.tryAcquire(key())).as("lease of a busy key").isEmpty();
            assertThat(other.tryRun(key(), held -> {})).isFalse();
        }
        Optional<Lease> second = other.tryAcquire(key());
        assertThat(second).as("lease of a released key").isPresent();
        second.ifPresent(Lease::close);
    }

    @Test
    void sameNameInAnotherNamespaceIsAnotherLock() {
        try (Lease here = tck.interlock().locks().acquire(key());
                Lease there = tck.inOtherNamespace().locks().acquire(key())) {
            assertThat(here.isHeld()).as("the lock of this namespace is held").isTrue();
            assertThat(there.isHeld())
                    .as("the lock of the other namespace is held")
                    .isTrue();
        }
    }
}
