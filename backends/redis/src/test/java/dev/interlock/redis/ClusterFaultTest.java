package dev.interlock.redis;

import static dev.interlock.testkit.judged.JudgedRun.LEASE;
import static dev.interlock.testkit.judged.JudgedRun.PATIENCE;
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
import dev.interlock.testkit.history.Fault;
import dev.interlock.testkit.judged.JudgedClient;
import dev.interlock.testkit.judged.JudgedRun;
import dev.interlock.testkit.judged.TwinHold;
import dev.interlock.testkit.servers.RedisCluster;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.Ask;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

/** Slots that move, and servers that go, while their locks are held and waited for. */
class ClusterFaultTest {
    @Order(1)
    @RegisterExtension
    static final RedisCluster redis = RedisCluster.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    @Order(3)
    @RegisterExtension
    final JudgedRun run = new JudgedRun(RedisForWorkers.patiently(ClusterFaultTest::cluster));

    private final AtomicInteger renewals = new AtomicInteger();

    private static RedisBackend.Builder cluster() {
        return RedisBackend.builder(redis.uris().split(",")).longestLease(LEASE);
    }

    private JudgedClient client(String name) {
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

    /** The end of the name of a key of this type, so that its slot is one that the fixture gave to this server. */
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
        return run.unfencedKey(idOn(server, Ask.UNFENCED, prefix));
    }

    private static void setSlot(ServerNode on, int slot, String state, ServerNode node) {
        String id = redis.command(node, "CLUSTER", "MYID");
        redis.command(on, "CLUSTER", "SETSLOT", Integer.toString(slot), state, id);
    }

    /** R14: as redis-cli does it, only that the half-way state lasts for a while. */
    @Test
    void heldLockMovesWithItsSlot() throws Exception {
        LockKey key = keyOn(0, "moving-");
        int slot = slot(key);
        ServerNode source = redis.primaries().get(0);
        ServerNode target = redis.primaries().get(1);
        JudgedClient holder = client("holder");
        JudgedClient other = client("other");
        JudgedClient.Held held = holder.acquire(Ask.of(key, ofSeconds(4), PATIENCE));
        assertThat(held.raise()).isTrue();
        long base = held.read();
        CompletableFuture<JudgedClient.Held> waiting = other.acquireAsync(Ask.of(key, LEASE, ofSeconds(60)));
        await().until(() ->
                redis.command(source, "LLEN", "{lock:" + key + "}:q").equals("1"));

        Fault moving = run.recorder().faultStarted("slot moves");
        setSlot(target, slot, "IMPORTING", source);
        setSlot(source, slot, "MIGRATING", target);
        LockSupport.parkNanos(ofMillis(300).toNanos()); // half-way: all keys are still here
        List<String> move = new ArrayList<>(
                List.of("MIGRATE", target.host(), Integer.toString(target.port()), "", "0", "5000", "KEYS"));
        move.addAll(redis.command(source, "CLUSTER", "GETKEYSINSLOT", Integer.toString(slot), "100")
                .lines()
                .toList());
        redis.command(source, move.toArray(String[]::new));
        LockSupport.parkNanos(ofMillis(1_200).toNanos()); // half-way: all keys are there
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
        JudgedClient.Held next = waiting.get(20, TimeUnit.SECONDS);
        assertThat(next.token()).isGreaterThan(held.token());
        next.finish();
        JudgedClient.Held third = holder.granted(key);
        assertThat(third.token()).isGreaterThan(next.token());
        third.finish();
        run.assertClean("R14 cluster-slot-migration", "slot moves");
    }

    /** R01 in a cluster without replicas. */
    @Test
    void serverThatDiesTakesOnlyItsOwnLocksAndHealsWhenItIsBack() {
        for (ServerNode node : redis.primaries()) {
            redis.command(node, "CONFIG", "SET", "cluster-require-full-coverage", "no");
        }
        LockKey lost = keyOn(2, "lost-");
        LockKey lostUnfenced = unfencedKeyOn(2, "lost-");
        JudgedClient client = client("one");
        JudgedClient other = client("two");
        JudgedClient.Held heldThere = client.acquire(keyOn(1, "kept-"));
        TwinHold before = TwinHold.begin(lost, lostUnfenced, other::acquire);
        Fault killed = run.recorder().faultStarted("killed server");
        long start = System.nanoTime();
        redis.primaries().get(2).kill();
        assertThatThrownBy(() -> client.acquire(Ask.of(lost, LEASE, ofSeconds(1))))
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

    /** X18: what a cluster needs beyond a single server. */
    @Test
    void userWithTheMinimalRightsWorksInACluster() {
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
