package dev.interlock.internal.lock;

import static dev.interlock.support.TwoProcesses.isPending;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.PendingLease;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Answers and pushes that never arrive: repeated attempts, heartbeats and polling make up for them. */
class LostAnswersTest {
    private static final LockKey KEY = LockKey.of("k");

    private TwoProcesses world = new TwoProcesses();

    @AfterEach
    void close() {
        world.close();
    }

    private void useAPolledStore() {
        world.close();
        world = TwoProcesses.polling();
    }

    private PendingLease<Lease> ask(LockKey key) {
        return world.locks().with(key).waitAtMost(ofMinutes(1)).acquireAsync();
    }

    @Nested
    class WhenAnAnswerIsLost {
        @Test
        void leaseOfARepeatedAttemptHasItsFullLength() {
            Lease theirs = world.others().acquire(KEY);
            world.wire.lose(Op.ATTEMPT, true); // queued, but the answer is lost
            PendingLease<Lease> ours = ask(KEY);
            theirs.close(); // granted to our place, for one second
            world.advance(100);

            Lease lease = result(ours);
            assertThat(lease.remaining()).isGreaterThan(ofSeconds(29));
            world.advance(1_500);
            assertThat(lease.isHeld()).isTrue();
        }

        @Test
        void repeatedAttemptGetsTheGrantOfTheFirst() {
            world.wire.lose(Op.ATTEMPT, true);
            PendingLease<Lease> ours = ask(KEY);
            assertThat(isPending(ours)).isTrue();

            world.advance(100);

            assertThat(result(ours).token().grant()).isEqualTo(1);
        }

        @Test
        void placeThatTheStoreForgotIsAskedForAgain() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours = ask(KEY);
            world.wire.next(
                    Op.KEEP_WAITING, call -> CompletableFuture.completedFuture(List.of(new WaitAnswer.Forgotten())));
            world.advance(450);
            assertThat(world.wire.calls(Op.ATTEMPT)).isEqualTo(2);

            theirs.close();

            assertThat(result(ours).isHeld()).isTrue();
        }

        @Test
        void lostPushIsFoundByTheNextHeartbeat() {
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours = ask(KEY);
            world.wire.holdPushes();
            theirs.close();

            world.advance(450);

            assertThat(result(ours).isHeld()).isTrue();
        }
    }

    @Nested
    class WhenTheStoreIsPolled {
        @Test
        void freedLockIsFoundByTheNextPoll() {
            useAPolledStore();
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours = ask(KEY);
            world.advance(300);
            theirs.close();
            assertThat(isPending(ours)).isTrue();

            world.advance(1_300);

            assertThat(result(ours).isHeld()).isTrue();
        }

        @Test
        void hintThatTheKeyMayBeFreeStartsAPollAtOnce() {
            useAPolledStore();
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours = ask(KEY);
            world.advance(5_000);
            theirs.close();

            world.wire.listener().maybeFree(KEY);

            assertThat(result(ours).isHeld()).isTrue();
        }

        @Test
        void wrongHintIsHarmless() {
            useAPolledStore();
            Lease theirs = world.others().acquire(KEY);
            PendingLease<Lease> ours = ask(KEY);

            world.wire.listener().maybeFree(KEY);

            assertThat(isPending(ours)).isTrue();
            assertThat(theirs.isHeld()).isTrue();
            world.advance(ofMillis(100).toMillis());
            assertThat(isPending(ours)).isTrue();
        }
    }
}
