package dev.interlock.redis;

import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.Locks;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.servers.RedisCluster;
import dev.interlock.testkit.servers.ServerNode;
import java.util.ArrayList;
import java.util.List;
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

    private final AtomicInteger renewals = new AtomicInteger();

    private Interlock open() {
        return processes.open(RedisBackend.builder(redis.uris().split(",")).longestLease(ofSeconds(3)), event -> {
            if (event instanceof LockEvent.Renewed) {
                renewals.incrementAndGet();
            }
        });
    }

    private static Lease granted(Locks locks, LockKey key) {
        return await().atMost(ofSeconds(30))
                .pollInterval(ofMillis(100))
                .ignoreException(StoreUnavailableException.class)
                .until(() -> locks.tryAcquire(key).orElse(null), lease -> lease != null);
    }

    private static int slot(LockKey key) {
        return Integer.parseInt(redis.command(redis.primaries().get(0), "CLUSTER", "KEYSLOT", "lock:" + key));
    }

    /** A key whose slot the fixture gave to this server. */
    private static LockKey keyOn(int server, String prefix) {
        return IntStream.range(0, 1_000)
                .mapToObj(i -> LockKey.of(prefix + i))
                .filter(key -> slot(key) * 3 / 16_384 == server)
                .findFirst()
                .orElseThrow();
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
        Interlock holder = open();
        Interlock other = open();
        Lease held = holder.locks().with(key).leaseFor(ofSeconds(4)).acquire();
        PendingLease<Lease> waiting =
                other.locks().with(key).waitAtMost(ofSeconds(60)).acquireAsync();
        await().until(() ->
                redis.command(source, "LLEN", "{lock:" + key + "}:q").equals("1"));

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
        held.ensureHeld();
        setSlot(target, slot, "NODE", target);
        setSlot(source, slot, "NODE", target);
        setSlot(redis.primaries().get(2), slot, "NODE", target);

        int before = renewals.get();
        await().atMost(ofSeconds(20)).until(() -> renewals.get() >= before + 2);
        held.ensureHeld();
        assertThat(waiting.toCompletableFuture()).isNotDone();
        assertThat(held.release()).isEqualTo(ReleaseResult.RELEASED);
        Lease next = waiting.toCompletableFuture().get(20, TimeUnit.SECONDS);
        assertThat(next.token().isNewerThan(held.token())).isTrue();
        next.close();
        Lease third = granted(holder.locks(), key);
        assertThat(third.token().isNewerThan(next.token())).isTrue();
        third.close();
    }

    /** R01 in a cluster without replicas. */
    @Test
    void serverThatDiesTakesOnlyItsOwnLocksAndHealsWhenItIsBack() {
        for (ServerNode node : redis.primaries()) {
            redis.command(node, "CONFIG", "SET", "cluster-require-full-coverage", "no");
        }
        LockKey lost = keyOn(2, "lost-");
        LockKey kept = keyOn(1, "kept-");
        Interlock interlock = open();
        Interlock other = open();
        Lease heldThere = interlock.locks().with(kept).leaseFor(ofSeconds(3)).acquire();
        Lease before = other.locks().acquire(lost);
        long start = System.nanoTime();
        redis.primaries().get(2).kill();
        assertThatThrownBy(() ->
                        interlock.locks().with(lost).waitAtMost(ofSeconds(1)).acquire())
                .isInstanceOf(StoreUnavailableException.class);
        LockKey elsewhere = keyOn(0, "elsewhere-");
        granted(interlock.locks(), elsewhere).close();
        System.out.printf("Cluster without one server: granted elsewhere after %d ms%n", millisSince(start));
        int renewed = renewals.get();
        await().atMost(ofSeconds(20)).until(() -> renewals.get() >= renewed + 2);
        heldThere.ensureHeld();

        redis.primaries().get(2).start();
        start = System.nanoTime();
        Lease after = granted(interlock.locks(), lost);
        System.out.printf(
                "Cluster: server back, its locks granted after %d ms, quarantine of 3 s included%n",
                millisSince(start));
        assertThat(after.token().isNewerThan(before.token())).isTrue();
        after.close();
        heldThere.close();
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
        Interlock interlock = processes.open(RedisBackend.builder(uris).longestLease(ofSeconds(3)));
        granted(interlock.locks(), keyOn(0, "acl-")).close();
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
