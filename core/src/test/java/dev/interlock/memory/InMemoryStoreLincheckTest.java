package dev.interlock.memory;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.AttemptAnswer;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Environment;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.LockStore;
import dev.interlock.spi.PlaceId;
import dev.interlock.spi.ReleaseAnswer;
import dev.interlock.spi.Renewal;
import dev.interlock.spi.RenewalAnswer;
import dev.interlock.spi.StoreContext;
import dev.interlock.spi.StoreListener;
import dev.interlock.spi.WaitAnswer;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.Executor;
import org.jetbrains.lincheck.datastructures.BooleanGen;
import org.jetbrains.lincheck.datastructures.IntGen;
import org.jetbrains.lincheck.datastructures.Operation;
import org.jetbrains.lincheck.datastructures.Param;
import org.jetbrains.lincheck.datastructures.StressOptions;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/**
 * Checks that the in-memory store is linearizable: three threads get only answers that a sequential run could give.
 *
 * <p>The clock does not advance, so an answer depends only on the order of the calls. Releases and renewals choose a
 * grant by its number alone: one batch tries all owners and keys, so that it often finds an existing grant.
 */
@Param(name = "owner", gen = IntGen.class, conf = "1:3")
@Param(name = "key", gen = IntGen.class, conf = "0:1")
@Param(name = "number", gen = IntGen.class, conf = "1:4")
@Param(name = "flag", gen = BooleanGen.class)
@Tag("slow")
public class InMemoryStoreLincheckTest {
    private static final List<LockKey> KEYS = List.of(LockKey.of("a"), LockKey.of("b"));
    private static final int OWNERS = 3;
    private static final Duration LEASE = Duration.ofSeconds(30);
    private static final Duration HEARTBEAT_WITHIN = Duration.ofSeconds(1);

    private final LockStore store = InMemoryBackend.create(() -> 0, 1).openLocks(new Context());

    @Test
    void everyAnswerIsThatOfASequentialRun() {
        check(25);
    }

    @Test
    @Tag("full")
    void everyAnswerOfManyRunsIsThatOfASequentialRun() {
        check(Boolean.getBoolean("interlock.soak") ? 750 : 75);
    }

    private static void check(int iterations) {
        new StressOptions()
                .iterations(iterations)
                .invocationsPerIteration(500)
                .threads(3)
                .actorsBefore(2)
                .actorsPerThread(3)
                .actorsAfter(2)
                .check(InMemoryStoreLincheckTest.class);
    }

    @Operation(params = {"owner", "key", "flag", "flag"})
    public String attempt(int owner, int key, boolean shared, boolean enqueue) {
        return attempt(owner, List.of(KEYS.get(key)), shared, enqueue);
    }

    @Operation(params = {"owner", "flag"})
    public String attemptBoth(int owner, boolean enqueue) {
        return attempt(owner, KEYS, false, enqueue);
    }

    private String attempt(int owner, List<LockKey> keys, boolean shared, boolean enqueue) {
        LockMode mode = shared ? LockMode.SHARED : LockMode.EXCLUSIVE;
        List<Claim> claims = new ArrayList<>();
        for (LockKey key : keys) {
            claims.add(new Claim(key, mode, 1, 1, LEASE, Duration.ZERO));
        }
        AttemptAnswer answer = answer(store.attempt(
                new Attempt(owner(owner), claims, List.of(), enqueue, 0, HEARTBEAT_WITHIN, LEASE, "test"), 0));
        if (answer instanceof AttemptAnswer.All all) {
            return "granted" + numbers(all.granted());
        }
        if (answer instanceof AttemptAnswer.Queued queued) {
            return "queued at " + queued.obstacle().key() + " with" + numbers(queued.granted());
        }
        if (answer instanceof AttemptAnswer.Busy busy) {
            return "busy at " + busy.obstacle().key() + " with" + numbers(busy.granted());
        }
        return "held is gone";
    }

    @Operation(params = {"owner", "key"})
    public String keepWaiting(int owner, int key) {
        WaitAnswer answer = answer(store.keepWaiting(List.of(new PlaceId(owner(owner), KEYS.get(key)))))
                .get(0);
        if (answer instanceof WaitAnswer.Won won) {
            return "won" + numbers(List.of(won.granted()));
        }
        return answer instanceof WaitAnswer.Waiting ? "waiting" : "forgotten";
    }

    @Operation(params = "owner")
    public String withdraw(int owner) {
        return "kept" + numbers(answer(store.withdraw(owner(owner), KEYS)));
    }

    @Operation(params = "number")
    public String release(int number) {
        List<ReleaseAnswer> answers = answer(store.release(grants(number), 0));
        return "released " + answers.indexOf(ReleaseAnswer.RELEASED);
    }

    @Operation(params = "number")
    public String renew(int number) {
        List<Renewal> renewals = new ArrayList<>();
        for (Grant grant : grants(number)) {
            renewals.add(new Renewal(grant, LEASE, Duration.ZERO));
        }
        StringBuilder answers = new StringBuilder();
        for (RenewalAnswer answer : answer(store.renew(renewals))) {
            answers.append(
                            answer instanceof RenewalAnswer.Gone gone
                                    ? gone.reason().name()
                                    : "extended")
                    .append(' ');
        }
        return answers.toString();
    }

    @Operation(params = "key")
    public int forceRelease(int key) {
        return answer(store.forceRelease(KEYS.get(key)));
    }

    private static List<Grant> grants(int number) {
        List<Grant> grants = new ArrayList<>();
        for (LockKey key : KEYS) {
            for (int owner = 1; owner <= OWNERS; owner++) {
                grants.add(new Grant(key, owner(owner), number));
            }
        }
        return grants;
    }

    private static String numbers(List<Granted> granted) {
        StringBuilder numbers = new StringBuilder();
        for (Granted one : granted) {
            numbers.append(' ').append(one.grant().number());
        }
        return numbers.toString();
    }

    private static OwnerId owner(int number) {
        return new OwnerId("lincheck", number);
    }

    private static <T> T answer(CompletionStage<T> stage) {
        return stage.toCompletableFuture().join();
    }

    /** The store uses only the listener of its context. This one ignores all messages. */
    private static final class Context implements StoreContext, StoreListener {
        @Override
        public Executor ordinary() {
            throw new UnsupportedOperationException();
        }

        @Override
        public Executor urgent() {
            throw new UnsupportedOperationException();
        }

        @Override
        public StoreListener listener() {
            return this;
        }

        @Override
        public Environment environment() {
            throw new UnsupportedOperationException();
        }

        @Override
        public void granted(Granted granted) {}

        @Override
        public void maybeFree(LockKey key) {}

        @Override
        public void sessionLost(LossReason reason) {}

        @Override
        public void reconnected() {}
    }
}
