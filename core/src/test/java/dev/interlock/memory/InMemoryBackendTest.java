package dev.interlock.memory;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.support.ManualEnvironment;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The in-memory backend, and the rules of its table. */
class InMemoryBackendTest {
    private static final LockKey KEY = LockKey.of("k");

    @Nested
    class AsABackend {
        @Test
        void interlocksOverTheSameBackendShareItsLocks() {
            InMemoryBackend backend = InMemoryBackend.create();
            try (Interlock one = Interlock.over(backend);
                    Interlock two = Interlock.over(backend);
                    Interlock stranger = Interlock.over(InMemoryBackend.create())) {
                one.locks().acquire(KEY);
                assertThat(two.locks().tryAcquire(KEY)).isEmpty();
                assertThat(stranger.locks().tryAcquire(KEY)).isPresent();
            }
        }

        @Test
        void tokensStartAtTheWallClockInMicroseconds() {
            long before = Instant.now().toEpochMilli() * 1_000;
            try (Interlock interlock = Interlock.over(InMemoryBackend.create());
                    Lease lease = interlock.locks().acquire(KEY)) {
                assertThat(lease.token().grant()).isGreaterThanOrEqualTo(before);
            }
        }

        @Test
        void exhaustedGrantNumbersAreRefused() {
            ManualEnvironment clock = new ManualEnvironment();
            InMemoryBackend backend = InMemoryBackend.create(clock::worldNanos, FencingToken.MAX_GRANT);
            try (Interlock interlock =
                    Interlock.builder(backend).environment(clock).build()) {
                assertThat(interlock.locks().acquire(KEY).token().grant()).isEqualTo(FencingToken.MAX_GRANT);
                assertThatThrownBy(() -> interlock.locks().acquire(LockKey.of("l")))
                        .isInstanceOf(LockRefusedException.class)
                        .hasMessageContaining("used up");
            }
        }

        @Test
        void nullClockIsRefused() {
            assertThatThrownBy(() -> InMemoryBackend.create(null, 1))
                    .isInstanceOf(NullPointerException.class)
                    .hasMessageContaining("give a clock");
        }
    }

    @Nested
    class AsATable {
        private final AtomicLong clock = new AtomicLong(-5); // an arbitrary start
        private final LockTable table = new LockTable(clock::get, 1);
        private final StoreListener noListener = new StoreListener() {
            @Override
            public void granted(Granted granted) {}

            @Override
            public void maybeFree(LockKey key) {}

            @Override
            public void sessionLost(LossReason reason) {}

            @Override
            public void reconnected() {}
        };

        private AttemptAnswer attempt(int owner, boolean enqueue, Grant... held) {
            Claim claim = new Claim(KEY, LockMode.EXCLUSIVE, 1, 1, ofSeconds(10), Duration.ZERO);
            List<Renewal> renewals = List.of(held).stream()
                    .map(grant -> new Renewal(grant, ofSeconds(10), Duration.ZERO))
                    .toList();
            return table.attempt(
                    new Attempt(
                            id(owner), List.of(claim), renewals, enqueue, 0, ofSeconds(1), ofSeconds(5), "p" + owner),
                    noListener);
        }

        private OwnerId id(int owner) {
            return new OwnerId("process", owner);
        }

        private Grant grantOf(AttemptAnswer answer) {
            return ((AttemptAnswer.All) answer).granted().get(0).grant();
        }

        private void advance(Duration by) {
            clock.addAndGet(by.toNanos());
        }

        @Test
        void repeatedAttemptReturnsTheSameGrantWithTheRemainingLease() {
            Grant first = grantOf(attempt(1, false));
            advance(ofSeconds(4));

            AttemptAnswer again = attempt(1, false);

            assertThat(grantOf(again)).isEqualTo(first);
            assertThat(((AttemptAnswer.All) again).granted().get(0).lease()).isEqualTo(ofSeconds(6));
        }

        @Test
        void expiredGrantIsGoneForRenewalAndRelease() {
            Grant grant = grantOf(attempt(1, false));
            advance(ofSeconds(10));

            assertThat(table.renew(new Renewal(grant, ofSeconds(10), Duration.ZERO)))
                    .isEqualTo(new RenewalAnswer.Gone(LossReason.EXPIRED));
            Grant next = grantOf(attempt(2, false));
            assertThat(next.number()).isGreaterThan(grant.number());
            assertThat(table.renew(new Renewal(grant, ofSeconds(10), Duration.ZERO)))
                    .isEqualTo(new RenewalAnswer.Gone(LossReason.REPLACED));
            assertThat(table.release(grant)).isEqualTo(ReleaseAnswer.NOT_HELD);
            assertThat(table.release(next)).isEqualTo(ReleaseAnswer.RELEASED);
        }

        @Test
        void releaseWithAnotherNumberOrOwnerChangesNothing() {
            Grant grant = grantOf(attempt(1, false));

            assertThat(table.release(new Grant(KEY, id(1), grant.number() + 1))).isEqualTo(ReleaseAnswer.NOT_HELD);
            assertThat(table.release(new Grant(KEY, id(2), grant.number()))).isEqualTo(ReleaseAnswer.NOT_HELD);
            assertThat(table.release(grant)).isEqualTo(ReleaseAnswer.RELEASED);
        }

        @Test
        void attemptWhoseHeldGrantIsGoneGetsNothing() {
            Grant gone = new Grant(LockKey.of("other"), id(1), 99);

            assertThat(attempt(1, false, gone)).isEqualTo(new AttemptAnswer.HeldGone(LockKey.of("other")));
            assertThat(attempt(2, false)).isInstanceOf(AttemptAnswer.All.class);
        }

        @Test
        void deadWaiterIsSkipped() {
            Grant holder = grantOf(attempt(1, false));
            assertThat(attempt(2, true)).isInstanceOf(AttemptAnswer.Queued.class);
            assertThat(attempt(3, true)).isInstanceOf(AttemptAnswer.Queued.class);
            advance(ofSeconds(1).minusNanos(1));
            assertThat(table.keepWaiting(id(3), KEY)).isInstanceOf(WaitAnswer.Waiting.class);
            advance(Duration.ofMillis(1));

            table.release(holder);

            assertThat(table.keepWaiting(id(3), KEY)).isInstanceOf(WaitAnswer.Won.class);
            assertThat(table.keepWaiting(id(2), KEY)).isInstanceOf(WaitAnswer.Forgotten.class);
            assertThat(table.takePushes()).hasSize(1);
        }

        @Test
        void grantToAWaiterHasAProvisionalLease() {
            Grant holder = grantOf(attempt(1, false));
            attempt(2, true);
            table.release(holder);

            assertThat(table.takePushes().get(0).granted().lease()).isEqualTo(ofSeconds(1));
            advance(ofSeconds(1));
            assertThat(attempt(3, false)).isInstanceOf(AttemptAnswer.All.class);
        }

        @Test
        void withdrawalReturnsWhatWasGrantedBeforeIt() {
            Grant holder = grantOf(attempt(1, false));
            attempt(2, true);
            attempt(3, true);
            assertThat(table.withdraw(id(3), List.of(KEY))).isEmpty();
            table.release(holder);

            assertThat(table.withdraw(id(2), List.of(KEY)))
                    .singleElement()
                    .satisfies(granted -> assertThat(granted.grant().owner()).isEqualTo(id(2)));
        }

        @Test
        void agreementIsComparedAndSet() {
            assertThat(table.agree("", "one")).isEqualTo("one");
            assertThat(table.agree("", "two")).isEqualTo("one");
            assertThat(table.agree("one", "two")).isEqualTo("two");
        }
    }
}
