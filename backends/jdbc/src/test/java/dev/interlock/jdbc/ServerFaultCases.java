package dev.interlock.jdbc;

import static dev.interlock.testkit.faults.Matching.requestContaining;
import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun.Injected;
import dev.interlock.testkit.workers.Ask;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server is killed, with everything that it had in memory only: S02 and S11. */
@Timeout(90)
abstract class ServerFaultCases extends FaultCases {
    private static final Duration LONG_LEASE = LEASE.multipliedBy(10);

    private final FaultDatabase database;

    ServerFaultCases(FaultDatabase database) {
        super(database);
        this.database = database;
    }

    private void killAndRestart() {
        Fault killed = run.recorder().faultStarted("server kill");
        database.server().node().kill();
        killed.acted();
        database.server().node().start();
        killed.stopped();
    }

    /** S02, under load: four threads go on as if nothing had happened, and the lease that is held all the time is kept. */
    @Test
    void leaseOutlivesAKilledServerAndTokensGrowOn() {
        LockKey key = run.key("s02");
        List<LockKey> busy = List.of(run.key("s02-a"), run.key("s02-b"));
        JudgedClient client = run.direct("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(Ask.of(key, LONG_LEASE, PATIENCE));
        assertThat(held.raise()).isTrue();
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger grants = new AtomicInteger();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            JudgedClient one = i % 2 == 0 ? client : other;
            LockKey hot = busy.get(i / 2);
            working.add(one.async(() -> workUntil(done, one, hot, grants)));
        }
        until("they work", () -> grants.get() > 20);
        killAndRestart();
        int before = grants.get();
        until("they work again", () -> grants.get() > before + 20);
        done.set(true);
        working.forEach(JudgedClient::await);

        held.awaitRenewal();
        assertThat(held.lost()).isNull();
        assertThatThrownBy(() -> other.acquire(Ask.of(key, LEASE, Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(held.write(held.read())).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        JudgedClient.Held next = other.acquire(key);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        run.assertClean("S02 server-immediate-restart: " + grants + " grants", "server kill");
    }

    private static void workUntil(AtomicBoolean done, JudgedClient client, LockKey key, AtomicInteger grants) {
        while (!done.get()) {
            try {
                JudgedClient.Held held = client.acquire(Ask.of(key, LEASE, Duration.ofSeconds(2)));
                held.update();
                held.release();
                grants.incrementAndGet();
            } catch (StoreUnavailableException | LockTimeoutException e) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    /** S11. A number that was drawn in a transaction without a commit was never given out, and none that was is given out again. */
    @Test
    void numbersOfUncommittedGrantsAreNeverSeen() {
        LockKey key = run.key("s11");
        JudgedClient client = run.client("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held first = client.acquire(key);
        long granted = new FencingToken(first.token()).grant();
        first.finish();
        try (Injected late = run.inject("no commit", () -> run.proxy().hold(requestContaining("COMMIT")))) {
            CompletableFuture<JudgedClient.Held> asked = CompletableFuture.supplyAsync(
                    () -> client.acquire(Ask.of(key, LEASE, Duration.ofSeconds(1)), LockRequest::shared));
            late.awaitActed();
            killAndRestart();
            assertThatThrownBy(() -> JudgedClient.await(asked)).hasCauseInstanceOf(StoreUnavailableException.class);
            // Before the commits of its repetitions, which are held back as well, get through.
            assertThat(run.counter(key)).as("the last committed number").isEqualTo(granted);
        }
        JudgedClient.Held next = other.granted(key);
        assertThat(new FencingToken(next.token()).grant()).isGreaterThan(granted);
        next.finish();
        run.assertClean("S11 sequence-crash", "no commit", "server kill");
    }
}
