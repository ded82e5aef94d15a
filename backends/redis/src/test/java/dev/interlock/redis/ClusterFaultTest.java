package dev.interlock.redis;

import static dev.interlock.testkit.checked.CheckedRun.LEASE;
import static dev.interlock.testkit.checked.CheckedRun.PATIENCE;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.checked.CheckedClient;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.TwinHold;
import dev.interlock.testkit.history.RecordedFault;
import dev.interlock.testkit.servers.RedisCluster;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.WorkerRequest;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slots that migrate, and servers that die, while their locks have holders and waiters. */
@Tag("full")
@Tag("server")
class ClusterFaultTest {
    @Order(1)
    @RegisterExtension
    static final RedisCluster redis = RedisCluster.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    @Order(3)
    @RegisterExtension
    final CheckedRun run = new CheckedRun(RedisForWorkers.patiently(ClusterFaultTest::cluster));

    private final AtomicInteger renewals = new AtomicInteger();

    private static RedisBackend.Builder cluster() {
        return RedisBackend.builder(redis.uris().split(",")).longestLease(LEASE);
    }

    private CheckedClient client(String name) {
        return run.client(
                name,
                RedisForWorkers.patiently(cluster()),
                options -> options.listener(event -> {
                    if (event instanceof LockEvent.Renewed) {
                        renewals.incrementAndGet();
                    }
                }));
    }

    private static int slot(LockKey key) {
        return Integer.parseInt(redis.command(redis.primaries().get(0), "CLUSTER", "KEYSLOT", "lock:" + key));
    }

    /** An id for a key of this type whose slot is on the given server. */
    private static String idOn(int server, String type, String prefix) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> prefix + i)
                .filter(id -> slot(LockKey.of(type, id)) * 3 / 16_384 == server)
                .findFirst()
                .orElseThrow();
    }

    private LockKey keyOn(int server, String prefix) {
        return run.key(idOn(server, "fenced", prefix));
    }

    private LockKey unfencedKeyOn(int server, String prefix) {
        return run.unfencedKey(idOn(server, WorkerRequest.UNFENCED, prefix));
    }

    private static void setSlot(ServerNode on, int slot, String state, ServerNode node) {
        String id = redis.command(node, "CLUSTER", "MYID");
        redis.command(on, "CLUSTER", "SETSLOT", Integer.toString(slot), state, id);
    }

    /** R14: migrates as redis-cli does, but stays halfway for a while. */
    @Test
    void heldLockMigratesWithItsSlot() throws Exception {
        LockKey key = keyOn(0, "moving-");
        int slot = slot(key);
        ServerNode source = redis.primaries().get(0);
        ServerNode target = redis.primaries().get(1);
        CheckedClient holder = client("holder");
        CheckedClient other = client("other");
        CheckedClient.Held held = holder.acquire(WorkerRequest.of(key, ofSeconds(4), PATIENCE));
        assertThat(held.raise()).isTrue();
        long base = held.read();
        CompletableFuture<CheckedClient.Held> waiting = other.acquireAsync(WorkerRequest.of(key, LEASE, ofSeconds(60)));
        await().until(() ->
                redis.command(source, "LLEN", "{lock:" + key + "}:q").equals("1"));

        RecordedFault moving = run.recorder().faultStarted("slot migration");
        setSlot(target, slot, "IMPORTING", source);
        setSlot(source, slot, "MIGRATING", target);
        LockSupport.parkNanos(ofMillis(300).toNanos()); // halfway: all keys are still on the source
        List<String> move = new ArrayList<>(
                List.of("MIGRATE", target.host(), Integer.toString(target.port()), "", "0", "5000", "KEYS"));
        move.addAll(redis.command(source, "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "100")
                .lines()
                .toList());
        redis.command(source, move.toArray(String[]::new));
        LockSupport.parkNanos(ofMillis(1_200).toNanos()); // halfway: all keys are on the target
        held.lease().ensureHeld();
        setSlot(target, slot, "NODE", target);
        setSlot(source, slot, "NODE", target);
        setSlot(redis.primaries().get(2), slot, "NODE", target);
        assertThat(redis.command(source, "CLUSTER", "COUNTKEYSINSLOT", Integer.toString(slot)))
                .isEqualTo("0");
        moving.acted();
        moving.stopped();

        int before = renewals.get();
        await().atMost(ofSeconds(20)).until(() -> renewals.get() >= before + 2);
        held.lease().ensureHeld();
        assertThat(waiting).isNotDone();
        assertThat(held.write(base)).isTrue();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        CheckedClient.Held next = waiting.get(20, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        CheckedClient.Held third = holder.granted(key);
        assertThat(third.token()).isGreaterThan(next.token());
        third.finish();
        run.assertClean("R14 cluster-slot-migration", "slot migration");
    }

    /** R01 in a cluster without replicas. */
    @Test
    void deadServerAffectsOnlyItsOwnLocksUntilItReturns() {
        for (ServerNode node : redis.primaries()) {
            redis.command(node, "CONFIG", "SET", "cluster-require-full-coverage", "no");
        }
        LockKey lost = keyOn(2, "lost-");
        LockKey lostUnfenced = unfencedKeyOn(2, "lost-");
        CheckedClient client = client("one");
        CheckedClient other = client("two");
        CheckedClient.Held heldThere = client.acquire(keyOn(1, "surviving-"));
        TwinHold before = TwinHold.begin(lost, lostUnfenced, other::acquire);
        RecordedFault killed = run.recorder().faultStarted("killed server");
        long start = System.nanoTime();
        redis.primaries().get(2).kill();
        assertThatThrownBy(() -> client.acquire(WorkerRequest.of(lost, LEASE, ofSeconds(1))))
                .isInstanceOf(StoreUnavailableException.class);
        killed.acted();
        client.granted(keyOn(0, "elsewhere-")).finish();
        System.out.printf("Cluster without one server: granted elsewhere after %d ms%n", millisSince(start));
        int renewed = renewals.get();
        await().atMost(ofSeconds(20)).until(() -> renewals.get() >= renewed + 2);
        heldThere.lease().ensureHeld();

        redis.primaries().get(2).start();
        killed.stopped();
        start = System.nanoTime();
        TwinHold after = TwinHold.begin(lost, lostUnfenced, client::granted);
        System.out.printf(
                "Cluster: server back, its locks granted after %d ms, quarantine of 3 s included%n",
                millisSince(start));
        after.assertNewerThan(before);
        after.write();
        before.writeTooLate();
        before.release(ReleaseResult.ALREADY_ENDED);
        after.release(ReleaseResult.RELEASED);
        heldThere.finish();
        TwinHold.assertBitten(run.assertClean("R01 restart-empty, one server of a cluster", "killed server"));
    }

    /** X18: the permissions that a cluster needs in addition. */
    @Test
    void userWithMinimalPermissionsWorksInACluster() {
        List<String> user = new ArrayList<>(List.of("ACL", "SETUSER", "minimal", "reset", "on", ">pa55word"));
        StartUpProbeTest.all().forEach(command -> user.add("+" + command));
        user.addAll(List.of(StartUpProbeTest.KEYS));
        user.addAll(List.of("+cluster|slots", "+asking"));
        redis.primaries().forEach(node -> redis.command(node, user.toArray(String[]::new)));
        String[] uris =
                redis.uris().replace("redis://", "redis://minimal:pa55word@").split(",");
        Interlock interlock = processes.open(RedisBackend.builder(uris).longestLease(LEASE));
        await().atMost(ofSeconds(30))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> interlock.locks().tryRun(keyOn(0, "acl-"), lease -> {}));
        interlock
                .locks()
                .with(List.of(keyOn(0, "acl-"), keyOn(1, "acl-")))
                .acquire()
                .close();

        redis.primaries().forEach(node -> redis.command(node, "ACL", "SETUSER", "minimal", "-cluster|slots"));
        assertThatThrownBy(() -> RedisBackend.connect(uris))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("cluster|slots");
    }

    private static long millisSince(long start) {
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }
}
