package dev.interlock.testkit.checked;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static dev.interlock.testkit.checked.CheckedRun.SLACK;
import static dev.interlock.testkit.checked.CheckedRun.pass;
import static dev.interlock.testkit.checked.CheckedRun.until;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.workers.WorkerRequest;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** The server is frozen, R03, or killed with everything that it had in memory only, S02. */
@Timeout(90)
abstract class ServerFaultCases extends FaultCases {
    private static final Duration LONG_LEASE = LEASE.multipliedBy(10);

    ServerFaultCases(FaultTck kit) {
        super(kit, FaultTck.Disturbance.SERVER);
    }

    /** S02, under load: four threads continue after the restart, and the lease that is held all the time is kept. */
    @Test
    void leaseSurvivesAKilledServerAndTokensKeepGrowing() {
        FaultRun run = run();
        run.assume(FaultTrait.DURABLE);
        LockKey key = run.key("s02");
        List<LockKey> busy = List.of(run.key("s02-a"), run.key("s02-b"));
        CheckedClient client = run.direct("one");
        CheckedClient other = run.direct("two");
        CheckedClient.Held held = client.acquire(WorkerRequest.of(key, LONG_LEASE, PATIENCE));
        assertThat(held.raise()).isTrue();
        AtomicBoolean done = new AtomicBoolean();
        AtomicInteger grants = new AtomicInteger();
        List<CompletableFuture<Void>> working = new ArrayList<>();
        for (int i = 0; i < 4; i++) {
            CheckedClient one = i % 2 == 0 ? client : other;
            LockKey hot = busy.get(i / 2);
            working.add(one.async(() -> workUntil(done, one, hot, grants)));
        }
        until("locks are granted", () -> grants.get() > 20);
        RecordedFault killed = run.recorder().faultStarted("server kill");
        target().killAndRestart();
        killed.acted();
        killed.stopped();
        int before = grants.get();
        until("locks are granted again", () -> grants.get() > before + 20);
        done.set(true);
        working.forEach(CheckedClient::await);

        held.awaitRenewal();
        assertThat(held.lost()).isNull();
        assertThatThrownBy(() -> other.acquire(WorkerRequest.of(key, LEASE, Duration.ZERO)))
                .isInstanceOf(LockTimeoutException.class);
        assertThat(held.write(held.read())).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        CheckedClient.Held next = other.acquire(key);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        run.assertClean("S02 server-immediate-restart: " + grants + " grants", "server kill");
    }

    private static void workUntil(AtomicBoolean done, CheckedClient client, LockKey key, AtomicInteger grants) {
        while (!done.get()) {
            try {
                CheckedClient.Held held = client.acquire(WorkerRequest.of(key, LEASE, Duration.ofSeconds(2)));
                held.update();
                held.release();
                grants.incrementAndGet();
            } catch (StoreUnavailableException | LockTimeoutException e) {
                LockSupport.parkNanos(10_000_000);
            }
        }
    }

    private RecordedFault freeze() {
        RecordedFault frozen = run().recorder().faultStarted("frozen server");
        target().freeze();
        frozen.acted();
        return frozen;
    }

    /** R03. */
    @Test
    void serverFrozenForHalfALeaseCostsNoLock() {
        FaultRun run = run();
        CheckedClient client = run.direct("one");
        CheckedClient.Held held = client.acquire(run.key("half"));
        RecordedFault frozen = freeze();
        pass(LEASE.dividedBy(2));
        target().unfreeze();
        frozen.stopped();
        client.granted(run.key("other")).finish();
        Duration renewed = CheckedRun.timed(() ->
                until("the lease is renewed", () -> held.lease().remaining().compareTo(LEASE.dividedBy(2)) > 0));
        assertThat(renewed).as("time to the renewal").isLessThan(LEASE);
        held.lease().ensureHeld();
        assertThat(held.lease().lost().toCompletableFuture()).isNotDone();
        held.finish();
        run.assertClean("R03 server-frozen, for half a lease", "frozen server");
    }

    /** R03. */
    @Test
    void holderLearnsOfTheLossWhileTheServerIsFrozenForTwoLeases() throws Exception {
        FaultRun run = run();
        LockKey key = run.key("double");
        LockKey unfencedKey = run.unfencedKey("double");
        CheckedClient client = run.direct("one");
        CheckedClient other = run.direct("two");
        TwinHold held = TwinHold.begin(key, unfencedKey, client::acquire);
        RecordedFault frozen = freeze();
        long start = System.nanoTime();
        long reported;
        try {
            assertThatThrownBy(() -> other.acquire(WorkerRequest.of(run.key("busy"), LEASE, Duration.ofSeconds(1))))
                    .isInstanceOf(StoreUnavailableException.class);
            LossReason reason =
                    held.fenced().lease().lost().toCompletableFuture().get(20, TimeUnit.SECONDS);
            reported = System.nanoTime() - start;
            System.out.printf(
                    "Server frozen: %s reported after %d ms of a lease of %s%n", reason, reported / 1_000_000, LEASE);
            // The report is due some 30 ms before the end of the lease; a test clock shows that in core. A real
            // computer may stop all threads for longer than that, so here the report has as much slack as elsewhere.
            assertThat(Duration.ofNanos(reported)).as("report of the loss").isLessThan(LEASE.plus(SLACK));
            assertThat(held.fenced().lease().isHeld()).isFalse();
            pass(Duration.ofNanos(2 * LEASE.toNanos() - (System.nanoTime() - start)));
        } finally {
            target().unfreeze();
            frozen.stopped();
        }
        assertThatThrownBy(held.fenced().lease()::ensureHeld).isInstanceOf(LeaseLostException.class);
        TwinHold next = TwinHold.begin(key, unfencedKey, other::granted);
        next.assertNewerThan(held);
        next.write();
        held.writeTooLate();
        held.release(ReleaseResult.ALREADY_ENDED);
        next.release(ReleaseResult.RELEASED);
        TwinHold.assertBitten(run.assertClean("R03 server-frozen, for two leases", "frozen server"));
    }
}
