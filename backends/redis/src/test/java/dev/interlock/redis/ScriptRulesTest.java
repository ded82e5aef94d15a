package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Granted;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.SnapshotQuery;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Rules of the scripts that the TCK cannot check, because they concern what Redis loses, evicts or keeps. */
@Tag("server")
class ScriptRulesTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    private final String namespace = redis.namespace();

    private BareProcess process() {
        return new BareProcess(
                RedisBackend.builder(redis.uri()).namespace(namespace).build());
    }

    private String plain(LockKey key) {
        return namespace + ":lock:" + key.name();
    }

    private String side(LockKey key, String part) {
        return "{" + plain(key) + "}:" + part;
    }

    private void quarantine() {
        redis.command("SET", namespace + ":interlock:quarantine", "1", "PX", "60000");
    }

    private static StoreException.Kind kind(Throwable error) {
        return ((StoreException) error).kind();
    }

    @Test
    void quarantineRefusesAFreeLock() {
        try (BareProcess process = process()) {
            quarantine();
            assertThat(kind(catchThrowable(() -> process.take(A)))).isEqualTo(StoreException.Kind.NOT_SENT);
            assertThat(redis.command("EXISTS", plain(A))).isEqualTo("0");
        }
    }

    @Test
    void quarantineRefusesSeveralFreeLocks() {
        try (BareProcess process = process()) {
            quarantine();
            Throwable error = catchThrowable(
                    () -> process.ask(process.newId(), BareProcess.exclusive(A), BareProcess.exclusive(B)));
            assertThat(kind(error)).isEqualTo(StoreException.Kind.NOT_SENT);
            assertThat(redis.command("EXISTS", plain(A), plain(B))).isEqualTo("0");
        }
    }

    @Test
    void quarantineRefusesASharedLock() {
        try (BareProcess process = process()) {
            quarantine();
            Throwable error = catchThrowable(
                    () -> process.ask(process.newId(), BareProcess.claim(A, LockMode.SHARED, BareProcess.LONG)));
            assertThat(kind(error)).isEqualTo(StoreException.Kind.NOT_SENT);
            assertThat(redis.command("EXISTS", plain(A))).isEqualTo("0");
        }
    }

    @Test
    void quarantineHandsNothingOverAndKeepsThePlace() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            Granted held = holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            quarantine();
            holder.release(held.grant());
            assertThat(redis.command("EXISTS", plain(A))).isEqualTo("0");
            assertThat(waiter.keepWaiting(id, A)).isInstanceOf(WaitAnswer.Waiting.class);
            redis.command("DEL", namespace + ":interlock:quarantine");
            assertThat(waiter.keepWaiting(id, A)).isInstanceOf(WaitAnswer.Won.class);
        }
    }

    @Test
    void severalFreeLocksAreNotGrantedPastAWaiterOfOneOfThem() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(B);
            waiter.queue(waiter.newId(), BareProcess.exclusive(B));
            redis.command("DEL", plain(B)); // as if it had expired
            AttemptAnswer answer = holder.ask(holder.newId(), BareProcess.exclusive(A), BareProcess.exclusive(B));
            assertThat(answer).isInstanceOf(AttemptAnswer.Busy.class);
            assertThat(((AttemptAnswer.Busy) answer).granted()).hasSize(1);
        }
    }

    /**
     * A waiter whose own attempt takes the free lock leaves the queue, so that later waiters are not behind a dead
     * place.
     */
    @Test
    void waiterWhoseOwnAttemptIsGrantedLeavesTheQueue() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            redis.command("DEL", plain(A)); // as if it had expired
            assertThat(waiter.queue(id, BareProcess.exclusive(A))).isInstanceOf(AttemptAnswer.All.class);
            assertThat(redis.command("EXISTS", side(A, "q"), side(A, "w"))).isEqualTo("0");
        }
    }

    @Test
    void counterThatWasSetBackIsRaisedToTheClock() {
        try (BareProcess one = process();
                BareProcess other = process()) {
            Granted last = other.take(A);
            other.release(last.grant());
            redis.command("DEL", namespace + ":interlock:counter");
            long next = one.take(A).grant().number();
            assertThat(next).isGreaterThan(last.grant().number());
        }
    }

    @Test
    void counterThatWasSetBackIsRaisedOnANewConnection() {
        long last;
        try (BareProcess process = process()) {
            Granted granted = process.take(A);
            last = granted.grant().number();
            process.release(granted.grant());
        }
        redis.command("SET", namespace + ":interlock:counter", "5");
        try (BareProcess process = process()) {
            assertThat(process.take(A).grant().number()).isGreaterThan(last);
        }
    }

    @Test
    void recordOfAForcedReleaseExpires() {
        try (BareProcess process = process()) {
            process.take(A);
            BareProcess.answer(process.store().forceRelease(A));
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "f")))).isPositive();
        }
    }

    @Test
    void queueExpiresWhenAllItsWaitersAreDead() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            waiter.queue(waiter.newId(), BareProcess.exclusive(A));
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "q")))).isPositive();
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "w")))).isPositive();
        }
    }

    @Test
    void heartbeatExtendsTheExpiryOfTheQueue() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            redis.command("PEXPIRE", side(A, "q"), "5000");
            redis.command("PEXPIRE", side(A, "w"), "5000");
            waiter.keepWaiting(id, A);
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "q")))).isGreaterThan(5_000);
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "w")))).isGreaterThan(5_000);
        }
    }

    @Test
    void sharedHoldersOfAnEarlierGenerationDoNotCount() {
        try (BareProcess process = process()) {
            Claim shared = BareProcess.claim(A, LockMode.SHARED, BareProcess.LONG);
            process.ask(process.newId(), shared);
            redis.command("DEL", plain(A)); // a foreign client's compare-and-delete, or eviction
            assertThat(process.ask(process.newId(), shared)).isInstanceOf(AttemptAnswer.All.class);
            assertThat(redis.command("HLEN", side(A, "s"))).isEqualTo("2");
        }
    }

    @Test
    void sharedKeyOfAnotherGenerationIsForeign() {
        try (BareProcess process = process()) {
            Claim shared = BareProcess.claim(A, LockMode.SHARED, BareProcess.LONG);
            process.ask(process.newId(), shared);
            redis.command("SET", plain(A), "shared:1", "PX", "60000");
            assertThat(process.ask(process.newId(), shared)).isInstanceOf(AttemptAnswer.Busy.class);
        }
    }

    @Test
    void renewalThatFailsForOneHeldKeyExtendsNoOther() {
        try (BareProcess process = process()) {
            Granted a = process.take(A);
            Granted b = process.take(B);
            process.release(b.grant());
            OwnerId id = process.newId();
            List<Renewal> held = List.of(
                    BareProcess.renewal(a.grant(), Duration.ofHours(1)),
                    BareProcess.renewal(b.grant(), Duration.ofHours(1)));
            AttemptAnswer answer = BareProcess.answer(process.store()
                    .attempt(
                            new Attempt(
                                    id,
                                    List.of(BareProcess.exclusive(LockKey.of("c"))),
                                    held,
                                    false,
                                    0,
                                    BareProcess.LONG,
                                    BareProcess.LONG,
                                    "bare"),
                            0));
            assertThat(answer).isInstanceOf(AttemptAnswer.HeldGone.class);
            assertThat(Long.parseLong(redis.command("PTTL", plain(A)))).isLessThanOrEqualTo(60_000);
        }
    }

    @Test
    void renewalKeepsALongerLockDelay() {
        try (BareProcess process = process()) {
            Claim delayed = new Claim(A, LockMode.EXCLUSIVE, 1, 1, Duration.ofSeconds(5), Duration.ofSeconds(50));
            Granted granted = ((AttemptAnswer.All) process.ask(process.newId(), delayed))
                    .granted()
                    .get(0);
            assertThat(BareProcess.answer(process.store()
                                    .renew(List.of(BareProcess.renewal(granted.grant(), Duration.ofSeconds(6)))))
                            .get(0))
                    .isInstanceOf(RenewalAnswer.Extended.class);
            assertThat(Long.parseLong(redis.command("PTTL", plain(A)))).isGreaterThan(50_000);
        }
    }

    @Test
    void releaseLeavesNoKeyBehind() {
        try (BareProcess process = process()) {
            Claim delayed = new Claim(A, LockMode.EXCLUSIVE, 1, 1, Duration.ofSeconds(5), Duration.ofSeconds(50));
            Granted granted = ((AttemptAnswer.All) process.ask(process.newId(), delayed))
                    .granted()
                    .get(0);
            process.release(granted.grant());
            assertThat(redis.command("EXISTS", plain(A), side(A, "d"), side(A, "q"), side(A, "w"), side(A, "s")))
                    .isEqualTo("0");
        }
    }

    @Test
    void forcedReleaseLeavesNoHolderBehind() {
        try (BareProcess process = process()) {
            process.ask(process.newId(), BareProcess.claim(A, LockMode.SHARED, BareProcess.LONG));
            BareProcess.answer(process.store().forceRelease(A));
            assertThat(redis.command("EXISTS", plain(A), side(A, "d"), side(A, "s")))
                    .isEqualTo("0");
        }
    }

    /**
     * No process receives the push to a dead waiter, so the lock goes to the next waiter without a provisional lease.
     */
    @Test
    void waiterOfADeadProcessIsSkippedAtOnce() {
        try (BareProcess holder = process();
                BareProcess next = process()) {
            Granted held = holder.take(A);
            BareProcess gone = process();
            gone.queue(gone.newId(), BareProcess.exclusive(A));
            gone.close();
            Awaitility.await()
                    .until(() -> !redis.command("PUBSUB", "CHANNELS", namespace + "*")
                            .isEmpty());
            OwnerId id = next.newId();
            next.queue(id, BareProcess.exclusive(A));
            Awaitility.await()
                    .until(() -> redis.command("PUBSUB", "CHANNELS", namespace + "*")
                                    .lines()
                                    .count()
                            == 2);
            holder.release(held.grant());
            assertThat(next.keepWaiting(id, A)).isInstanceOf(WaitAnswer.Won.class);
        }
    }

    @Test
    void lockTakenByAForeignClientIsReportedAsReplaced() {
        try (BareProcess process = process()) {
            Granted a = process.take(A);
            redis.command("SET", plain(A), "foreign", "PX", "60000");
            assertThat(BareProcess.answer(
                                    process.store().renew(List.of(BareProcess.renewal(a.grant(), BareProcess.LONG))))
                            .get(0))
                    .isEqualTo(new RenewalAnswer.Gone(LossReason.REPLACED));
            assertThat(redis.command("GET", plain(A))).isEqualTo("foreign");
        }
    }

    @Test
    void repeatedAttemptHasOnePlace() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            waiter.queue(id, BareProcess.exclusive(A));
            assertThat(redis.command("LLEN", side(A, "q"))).isEqualTo("1");
        }
    }

    /** During a lock-delay the lock has no holder, not even its last owner. */
    @Test
    void lastOwnerDoesNotHoldTheLockDuringTheLockDelay() {
        try (BareProcess process = process()) {
            OwnerId id = process.newId();
            process.ask(id, new Claim(A, LockMode.EXCLUSIVE, 1, 1, Duration.ofMillis(50), Duration.ofSeconds(50)));
            Awaitility.await().until(() -> redis.command("EXISTS", side(A, "d")).equals("0"));
            assertThat(process.keepWaiting(id, A)).isEqualTo(new WaitAnswer.Forgotten());
            assertThat(BareProcess.answer(process.store().withdraw(id, List.of(A))))
                    .isEmpty();
            assertThat(redis.command("EXISTS", plain(A))).isEqualTo("1");
        }
    }

    @Test
    void deadWaiterIsNotCounted() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            BareProcess.answer(waiter.store()
                    .attempt(
                            BareProcess.attempt(waiter.newId(), true, Duration.ofMillis(50), BareProcess.exclusive(A)),
                            0));
            redis.command("PERSIST", side(A, "q")); // otherwise the queue could expire before a slow machine reads it
            redis.command("PERSIST", side(A, "w"));
            Awaitility.await()
                    .until(() ->
                            BareProcess.answer(holder.store().snapshot(new SnapshotQuery("a", Optional.empty(), 10)))
                                            .locks()
                                            .get(0)
                                            .waiters()
                                    == 0);
        }
    }

    @Test
    void renewalCanAddALockDelay() {
        try (BareProcess process = process()) {
            Granted granted = process.take(A);
            BareProcess.answer(process.store()
                    .renew(List.of(new Renewal(granted.grant(), BareProcess.LONG, Duration.ofSeconds(50)))));
            assertThat(Long.parseLong(redis.command("PTTL", plain(A)))).isGreaterThan(100_000);
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "d")))).isBetween(1L, 60_000L);
        }
    }

    @Test
    void waiterIsNotGrantedDuringItsOwnLockDelay() {
        try (BareProcess process = process()) {
            OwnerId id = process.newId();
            Claim shared = new Claim(A, LockMode.SHARED, 1, 1, Duration.ofMillis(50), Duration.ofSeconds(50));
            process.ask(id, shared);
            Awaitility.await().until(() -> process.queue(id, shared) instanceof AttemptAnswer.Queued);
            for (int i = 0; i < 2; i++) {
                assertThat(process.keepWaiting(id, A)).isInstanceOf(WaitAnswer.Waiting.class);
            }
        }
    }

    @Test
    void renewalOfALockWithALockDelayNeverShortensIt() {
        try (BareProcess process = process()) {
            Claim delayed = new Claim(A, LockMode.EXCLUSIVE, 1, 1, BareProcess.LONG, Duration.ofSeconds(50));
            Granted granted = ((AttemptAnswer.All) process.ask(process.newId(), delayed))
                    .granted()
                    .get(0);
            BareProcess.answer(
                    process.store().renew(List.of(BareProcess.renewal(granted.grant(), Duration.ofSeconds(1)))));
            assertThat(Long.parseLong(redis.command("PTTL", side(A, "d")))).isGreaterThan(30_000);
        }
    }

    /**
     * Otherwise the lock would expire with the shorter lease, and an exclusive claim could be granted beside the longer
     * one.
     */
    @Test
    void laterSharedHolderWithAShorterLeaseDoesNotShortenTheLock() {
        try (BareProcess process = process()) {
            process.ask(process.newId(), BareProcess.claim(A, LockMode.SHARED, BareProcess.LONG));
            process.ask(process.newId(), BareProcess.claim(A, LockMode.SHARED, Duration.ofSeconds(2)));
            assertThat(Long.parseLong(redis.command("PTTL", plain(A)))).isGreaterThan(30_000);
        }
    }

    @Test
    void permitsOfAnExpiredHolderAreFreeWhileAnotherHolds() {
        try (BareProcess process = process()) {
            process.ask(process.newId(), new Claim(A, LockMode.PERMITS, 1, 2, BareProcess.LONG, Duration.ZERO));
            process.ask(process.newId(), new Claim(A, LockMode.PERMITS, 1, 2, Duration.ofMillis(50), Duration.ZERO));
            Awaitility.await()
                    .until(() -> process.ask(
                                    process.newId(),
                                    new Claim(A, LockMode.PERMITS, 1, 2, BareProcess.LONG, Duration.ZERO))
                            instanceof AttemptAnswer.All);
        }
    }

    @Test
    void lateReleaseHandsTheLockOver() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            Granted held = holder.take(A);
            waiter.queue(waiter.newId(), BareProcess.exclusive(A));
            redis.command("DEL", plain(A)); // as if it had expired
            assertThat(holder.release(held.grant())).isEqualTo(ReleaseAnswer.NOT_HELD);
            assertThat(redis.command("EXISTS", plain(A))).isEqualTo("1");
        }
    }
}
