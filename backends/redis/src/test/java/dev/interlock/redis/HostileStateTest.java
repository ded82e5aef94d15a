package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.StoreException;
import dev.interlock.spi.WaitAnswer;
import dev.interlock.testkit.servers.RedisServer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Stored state that Interlock never writes must not affect other locks. */
@Tag("server")
class HostileStateTest {
    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

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

    private static final LockKey A = LockKey.of("a");
    private static final LockKey B = LockKey.of("b");

    @Test
    void keyOfAWrongTypeDoesNotStopTheHeartbeatsOfOtherWaiters() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            Granted b = holder.take(B);
            OwnerId onA = waiter.newId();
            OwnerId onB = waiter.newId();
            waiter.queue(onA, BareProcess.exclusive(A));
            waiter.queue(onB, BareProcess.exclusive(B));
            redis.command("DEL", plain(A));
            redis.command("HSET", plain(A), "x", "y");
            holder.release(b.grant());
            List<WaitAnswer> answers =
                    BareProcess.answer(waiter.store().keepWaiting(List.of(new PlaceId(onA, A), new PlaceId(onB, B))));
            // Its next attempt reports the reason.
            assertThat(answers.get(0)).isInstanceOf(WaitAnswer.Forgotten.class);
            assertThat(answers.get(1)).isInstanceOf(WaitAnswer.Won.class);
        }
    }

    @Test
    void keyOfAWrongTypeDoesNotStopTheReleaseOfOtherLocks() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            Granted a = holder.take(A);
            Granted b = holder.take(B);
            waiter.queue(waiter.newId(), BareProcess.exclusive(A));
            redis.command("DEL", plain(A));
            redis.command("HSET", plain(A), "x", "y");
            assertThat(BareProcess.answer(holder.store().release(List.of(a.grant(), b.grant()), 0)))
                    .containsExactly(ReleaseAnswer.NOT_HELD, ReleaseAnswer.RELEASED);
        }
    }

    @Test
    void keyOfAWrongTypeDoesNotStopAWithdrawal() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            holder.take(A);
            holder.take(B);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            redis.command("DEL", plain(A));
            redis.command("HSET", plain(A), "x", "y");
            assertThat(BareProcess.answer(waiter.store().withdraw(id, List.of(A, B))))
                    .isEmpty();
            assertThat(redis.command("EXISTS", side(A, "q"))).isEqualTo("0");
        }
    }

    @Test
    void refusalBecauseOfASideKeyOfAWrongTypeLeavesNoGrant() {
        try (BareProcess process = process()) {
            redis.command("SET", side(B, "q"), "alien");
            Throwable refused = catchThrowable(
                    () -> process.ask(process.newId(), BareProcess.exclusive(A), BareProcess.exclusive(B)));
            assertThat(refused).isInstanceOf(StoreException.class);
            if (((StoreException) refused).kind() != StoreException.Kind.UNKNOWN) {
                assertThat(redis.command("EXISTS", plain(A)))
                        .as("an orphaned grant")
                        .isEqualTo("0");
            }
        }
    }

    @Test
    void waiterWhosePlaceWasEvictedDoesNotKeepWaiting() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            Granted a = holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            redis.command("DEL", side(A, "q"));
            holder.release(a.grant());
            WaitAnswer answer = waiter.keepWaiting(id, A);
            if (answer instanceof WaitAnswer.Forgotten) {
                assertThat(waiter.queue(id, BareProcess.exclusive(A))).isInstanceOf(AttemptAnswer.All.class);
            } else {
                assertThat(answer)
                        .as("the lock is free and has no other waiter")
                        .isInstanceOf(WaitAnswer.Won.class);
            }
        }
    }

    @Test
    void waiterWhosePlaceWasEvictedQueuesAgain() {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            Granted a = holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            redis.command("DEL", side(A, "q"));
            waiter.queue(id, BareProcess.exclusive(A));
            holder.release(a.grant());
            assertThat(waiter.keepWaiting(id, A)).isInstanceOf(WaitAnswer.Won.class);
        }
    }

    /** A waiter relies on a push, so Redis must not push a grant that it then refuses to write. */
    @ParameterizedTest
    @ValueSource(strings = {"0", "99999999999999999999"})
    void placeWithAnImpossibleProvisionalLeaseIsSkippedAndTheLockIsReleased(String heartbeatWithin) {
        try (BareProcess holder = process();
                BareProcess waiter = process()) {
            Granted a = holder.take(A);
            OwnerId id = waiter.newId();
            waiter.queue(id, BareProcess.exclusive(A));
            String field = "c:" + OwnerText.encode(id);
            String[] words = redis.command("HGET", side(A, "w"), field).split(" ", 7);
            words[5] = heartbeatWithin;
            redis.command("HSET", side(A, "w"), field, String.join(" ", words));

            holder.release(a.grant());

            assertThat(redis.command("EXISTS", plain(A), side(A, "q"))).isEqualTo("0");
        }
    }

    @Test
    void sharedKeyExpiresWithItsLastHolder() {
        try (BareProcess one = process();
                BareProcess other = process()) {
            AttemptAnswer.All longer = (AttemptAnswer.All)
                    one.ask(one.newId(), BareProcess.claim(A, LockMode.SHARED, Duration.ofSeconds(60)));
            other.ask(other.newId(), BareProcess.claim(A, LockMode.SHARED, Duration.ofSeconds(3)));
            one.release(longer.granted().get(0).grant());
            assertThat(Long.parseLong(redis.command("PTTL", plain(A)))).isLessThanOrEqualTo(3_000);
        }
    }

    @Test
    void liveWaiterThatReceivesNoPushIsGrantedInTurn() {
        String user = "nopush" + namespace.hashCode();
        redis.command("ACL", "SETUSER", user, "on", ">pw", "~*", "+@all", "resetchannels");
        try (BareProcess one = process();
                BareProcess two = process();
                BareProcess unreachable = new BareProcess(
                        RedisBackend.builder(redis.uri().replace("redis://", "redis://" + user + ":pw@"))
                                .namespace(namespace)
                                .build())) {
            Granted held = one.take(A);
            OwnerId first = unreachable.newId();
            unreachable.queue(first, BareProcess.exclusive(A));
            BareProcess[] busy = {two, one};
            BareProcess holder = one;
            int overtaken = 0;
            for (int i = 0; i < 50; i++) {
                BareProcess next = busy[i % 2];
                OwnerId id = next.newId();
                next.queue(id, BareProcess.exclusive(A));
                holder.release(held.grant());
                if (unreachable.keepWaiting(first, A) instanceof WaitAnswer.Won) {
                    break;
                }
                overtaken++;
                held = ((WaitAnswer.Won) next.keepWaiting(id, A)).granted();
                holder = next;
            }
            assertThat(overtaken)
                    .as("newcomers that overtook a waiter that sends heartbeats")
                    .isLessThan(5);
        }
    }

    @Test
    void renewalOfManySharedHoldersReadsThemOnce() {
        try (BareProcess process = process()) {
            List<Renewal> renewals = new ArrayList<>();
            for (int i = 0; i < 500; i++) {
                Claim claim = BareProcess.claim(A, LockMode.SHARED, Duration.ofSeconds(60));
                Grant grant = ((AttemptAnswer.All) process.ask(process.newId(), claim))
                        .granted()
                        .get(0)
                        .grant();
                renewals.add(BareProcess.renewal(grant, Duration.ofSeconds(60)));
            }
            long before = holderReads();
            BareProcess.answer(process.store().renew(renewals));
            assertThat(holderReads() - before).as("reads of all holders").isEqualTo(1);
        }
    }

    /** How often all holders of a lock have been read. */
    private static long holderReads() {
        Matcher calls = Pattern.compile("cmdstat_hgetall:calls=(\\d+)").matcher(redis.command("INFO", "commandstats"));
        return calls.find() ? Long.parseLong(calls.group(1)) : 0;
    }
}
