package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
import static dev.interlock.testkit.judged.JudgedRun.SLACK;
import static dev.interlock.testkit.judged.JudgedRun.until;
import static org.assertj.core.api.Assertions.assertThat;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.history.Figure;
import dev.interlock.testkit.history.Verdict;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.servers.RedisVersion;
import dev.interlock.testkit.servers.ServerClock;
import dev.interlock.testkit.workers.Ask;
import dev.interlock.testkit.workers.Progress;
import dev.interlock.testkit.workers.Section;
import dev.interlock.testkit.workers.Worker;
import dev.interlock.testkit.workers.WorkerBackend;
import dev.interlock.testkit.workers.WorkerSetup;
import dev.interlock.testkit.workers.Workload;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.LockSupport;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.api.io.TempDir;

/**
 * Wall clocks that are stepped: the server's, C01 and C02, and the clients', C04. Redis ends keys by its wall clock, so a step forward may
 * give a lock to two; the fence holds all the same.
 */
@Timeout(90)
class RedisClockTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    @RegisterExtension
    static final RedisServer redis =
            RedisServer.own().version(RedisVersion.V6_2).steppableClock();

    private FaultRun run;

    @AfterEach
    void end() throws Exception {
        run.close();
    }

    /** Steps the server's clock and waits until the server shows it. */
    private void step(Duration by) {
        long before = serverSeconds();
        redis.node().clock().step(by);
        until("the server's clock is stepped", () -> Math.abs(serverSeconds() - before - by.toSeconds()) < 10);
    }

    private static long serverSeconds() {
        return Long.parseLong(redis.command("TIME").split("\n", -1)[0]);
    }

    /** C01. Everything is kept twice, so that the unfenced twin shows what the fence prevents. */
    @Test
    void serverClockSteppedForwardGivesTheLockToTwoButLosesNoUpdate() {
        run = new FaultRun(redis);
        LockKey key = run.key("c01");
        LockKey control = run.unfencedKey("c01");
        JudgedClient client = run.direct("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(Ask.of(key, LEASE.multipliedBy(3), PATIENCE));
        JudgedClient.Held unfenced = client.acquire(Ask.of(control, LEASE.multipliedBy(3), PATIENCE));
        assertThat(held.raise()).isTrue();
        assertThat(unfenced.raise()).isTrue();
        long base = held.read();
        CompletableFuture<JudgedClient.Held> waiting = other.acquireAsync(Ask.of(key, LEASE.multipliedBy(3), PATIENCE));
        CompletableFuture<JudgedClient.Held> waitingUnfenced =
                other.acquireAsync(Ask.of(control, LEASE.multipliedBy(3), PATIENCE));
        until("both wait in the queue", () -> run.hasQueue(key) && run.hasQueue(control));

        Fault stepped = run.recorder().faultStarted("clock");
        step(MINUTE);
        stepped.acted();
        JudgedClient.Held next = JudgedClient.await(waiting);
        JudgedClient.Held nextUnfenced = JudgedClient.await(waitingUnfenced);
        boolean overlap = held.isHeld();
        assertThat(next.token()).isGreaterThan(held.token());
        assertThat(next.update()).isTrue();
        assertThat(nextUnfenced.update()).isTrue();
        assertThat(held.write(base)).as("stale write").isFalse();
        assertThat(unfenced.write(base)).as("stale write at the unfenced twin").isTrue();
        until("the former holder is told by its next renewal", () -> held.lost() == LossReason.REPLACED);
        stepped.stopped();

        assertThat(next.isHeld()).isTrue();
        assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(nextUnfenced.release()).isEqualTo(ReleaseResult.RELEASED);
        assertThat(held.release()).isEqualTo(ReleaseResult.ALREADY_ENDED);
        assertThat(client.acquire(key).release()).isEqualTo(ReleaseResult.RELEASED);
        Verdict verdict = run.assertClean(
                "C01 server-forward-60s: two holders at once " + overlap,
                expected -> expected.injecting("clock").exclusivityMayBreakIn("clock"));
        assertThat(verdict.figure(Figure.STALE_REFUSED)).isPositive();
        assertThat(verdict.figure(Figure.CONTROL_STALE_ACCEPTED)).isPositive();
    }

    /** C02. What is released goes on at once; what is orphaned lasts longer by the step, and no longer. */
    @Test
    void serverClockSteppedBackDelaysAnOrphanByTheStepAndNothingElse() {
        run = new FaultRun(redis);
        LockKey key = run.key("c02");
        LockKey orphaned = run.key("c02-orphan");
        JudgedClient client = run.direct("one");
        JudgedClient other = run.direct("two");
        JudgedClient.Held held = client.acquire(key);
        JudgedClient.Held orphan =
                client.acquire(Ask.of(orphaned, LEASE, PATIENCE).unrenewed());
        CompletableFuture<JudgedClient.Held> waiting = other.acquireAsync(Ask.of(key, LEASE, PATIENCE));
        until("it waits in the queue", () -> run.hasQueue(key));

        Fault stepped = run.recorder().faultStarted("clock");
        step(MINUTE.negated());
        stepped.acted();
        long left = run.millisLeft(orphaned);
        assertThat(left)
                .as("milliseconds until an orphan ends")
                .isBetween(MINUTE.toMillis(), MINUTE.plus(LEASE).toMillis());
        assertThat(held.isHeld()).isTrue();
        assertThat(held.update()).isTrue();
        Duration handOver = JudgedRun.timed(() -> {
            assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            JudgedClient.Held next = JudgedClient.await(waiting);
            assertThat(next.token()).isGreaterThan(held.token());
            assertThat(next.update()).isTrue();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        });
        assertThat(handOver).as("hand-over").isLessThan(SLACK);
        JudgedClient.Held fresh = client.acquire(key);
        assertThat(fresh.update()).isTrue();
        fresh.awaitRenewal();
        assertThat(fresh.release()).isEqualTo(ReleaseResult.RELEASED);

        // The minute goes by, or the clock is set right: for the server that is the same.
        step(MINUTE);
        stepped.stopped();
        Duration recovered = JudgedRun.timed(() -> {
            JudgedClient.Held next = other.acquire(orphaned);
            assertThat(next.token()).isGreaterThan(orphan.token());
            assertThat(next.update()).isTrue();
            assertThat(next.release()).isEqualTo(ReleaseResult.RELEASED);
        });
        assertThat(recovered).as("recovery").isLessThan(LEASE.plus(SLACK));
        run.assertClean(
                "C02 server-back-60s: an orphan would have lasted for " + left + " ms, hand-over " + handOver.toMillis()
                        + " ms",
                "clock");
    }

    /** C04. The workers show their wall clocks, so that the steps are seen to act. */
    @Test
    void wallClocksOfClientsChangeNothing(@TempDir Path folder) {
        ServerClock clock = ServerClock.in(folder);
        Path shown = folder.resolve("wall");
        run = new FaultRun(redis, Framing.resp(), setup -> onClock(setup, clock, shown));
        Worker stepped = run.startWorkers(1).get(0);
        JudgedClient other = run.direct("other");
        List<LockKey> keys = List.of(run.key("c04-a"), run.key("c04-b"));
        stepped.run(new Workload(
                4, keys.stream().map(LockKey::name).toList(), LEASE, LEASE, Duration.ofMillis(50), true, false, 4));
        stepped.awaitGrants(20, PATIENCE);
        for (int hours : new int[] {1, -2, 1}) {
            Fault fault = run.recorder().faultStarted("client clock");
            clock.step(Duration.ofHours(hours));
            until(
                    "the worker's clock is stepped",
                    () -> Math.abs(ahead(shown) - clock.offset().toSeconds()) < 60);
            fault.acted();
            stepped.awaitGrants(20, PATIENCE);
            for (LockKey key : keys) {
                JudgedClient.Held held = other.acquire(key);
                assertThat(held.update()).isTrue();
                assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
            }
            fault.stopped();
        }
        Progress total = stepped.rest();
        assertThat(total.lost()).as("leases lost").isZero();
        assertThat(total.errors()).as("errors").isZero();
        assertThat(total.of(Section.Outcome.STALE)).as("stale writes").isZero();
        // Some of the random waits are shorter than an answer takes on a busy machine.
        assertThat(total.of(Section.Outcome.UNAVAILABLE)).isLessThan(total.grants() / 20);
        run.assertClean(
                "C04 client-wall-step, by +1 h, -2 h, +1 h: " + total.grants() + " grants, 0 lost", "client clock");
    }

    private static WorkerSetup onClock(WorkerSetup setup, ServerClock clock, Path shown) {
        Map<String, String> variables = new HashMap<>(clock.variables());
        // Otherwise every timed wait of a JVM returns at once, since the shim takes its elapsed time for a wall clock.
        variables.put("FAKETIME_FORCE_MONOTONIC_FIX", "0");
        variables.put(ShowsItsClock.FILE, shown.toString());
        return new WorkerSetup(ShowsItsClock.class.getName(), setup.address(), setup.namespace(), List.of(), variables);
    }

    /** By how many seconds the worker's wall clock is ahead of ours. */
    private static long ahead(Path shown) {
        try {
            String millis = Files.exists(shown) ? Files.readString(shown) : "";
            return millis.isEmpty() ? 0 : (Long.parseLong(millis) - System.currentTimeMillis()) / 1_000;
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Connects as usual, in a process that keeps writing down what its wall clock says. */
    public static final class ShowsItsClock implements WorkerBackend {
        static final String FILE = "INTERLOCK_TEST_SHOWN_CLOCK";

        @Override
        public Backend connect(String address, String namespace) {
            Path file = Path.of(System.getenv(FILE));
            Thread showing = new Thread(() -> show(file), "shows-its-clock");
            showing.setDaemon(true);
            showing.start();
            return new RedisForWorkers().connect(address, namespace);
        }

        private static void show(Path file) {
            Path next = file.resolveSibling(file.getFileName() + ".next");
            while (true) {
                try {
                    Files.writeString(next, Long.toString(System.currentTimeMillis()));
                    Files.move(next, file, StandardCopyOption.ATOMIC_MOVE);
                } catch (IOException e) {
                    return;
                }
                LockSupport.parkNanos(50_000_000);
            }
        }
    }
}
