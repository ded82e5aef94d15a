package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.spi.Backend;
import dev.interlock.testkit.checked.CheckedRun;
import dev.interlock.testkit.checked.FaultTarget;
import dev.interlock.testkit.checked.FaultTrait;
import dev.interlock.testkit.checked.StoreRequests;
import dev.interlock.testkit.checked.StoreState;
import dev.interlock.testkit.faults.Framing;
import dev.interlock.testkit.faults.Matching;
import dev.interlock.testkit.servers.RedisServer;
import dev.interlock.testkit.servers.ServerNode;
import dev.interlock.testkit.workers.WorkerSetup;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.time.Instant;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.Set;

/**
 * One Redis server for the fault kit.
 *
 * @param redis the server, without persistence
 */
record RedisTarget(RedisServer redis) implements FaultTarget {
    /** A silent connection is given up after two seconds, and checked every half second. */
    private static final Duration NOTICES_SILENCE_WITHIN = Duration.ofMillis(2_500);

    /** One connection for commands and one for the subscription. */
    private static final int CONNECTIONS = 2;

    @Override
    public String name() {
        return "Redis";
    }

    @Override
    public List<ServerNode> nodes() {
        return List.of(redis.node());
    }

    @Override
    public Framing framing() {
        return Framing.resp();
    }

    @Override
    public Backend connect(List<String> addresses, String namespace, Duration silence) {
        return RedisForWorkers.patiently(RedisBackend.builder(uri(addresses, namespace))
                .namespace(namespace)
                .silenceLimit(silence));
    }

    @Override
    public WorkerSetup workers(List<String> addresses, String namespace) {
        return WorkerSetup.of(RedisForWorkers.class, uri(addresses, namespace), namespace);
    }

    /** Each connection has the namespace as its name, so that the server can count them. */
    private static String uri(List<String> addresses, String namespace) {
        return "redis://" + addresses.get(0) + "?clientName=" + namespace;
    }

    @Override
    public Set<FaultTrait> traits() {
        return Set.of(
                FaultTrait.ONE_ROUND_TRIP_ACQUIRE,
                FaultTrait.FAILS_FAST,
                FaultTrait.REPLAYABLE_REQUESTS,
                FaultTrait.CONSECUTIVE_NUMBERS,
                FaultTrait.RENEWS_ONCE);
    }

    @Override
    public Optional<Duration> noticesSilenceWithin() {
        return Optional.of(NOTICES_SILENCE_WITHIN);
    }

    @Override
    public int connectionsReplaced() {
        return CONNECTIONS;
    }

    @Override
    public Optional<Duration> grantsWithoutPushWithin() {
        return Optional.of(Duration.ofMillis(1_400));
    }

    @Override
    public Duration handsOverWithin() {
        return CheckedRun.SLACK;
    }

    @Override
    public Instant serverTime() {
        return Instant.ofEpochSecond(Long.parseLong(redis.command("TIME").split("\n", -1)[0]));
    }

    @Override
    public StoreRequests requests() {
        return new ScriptCalls();
    }

    @Override
    public StoreState state(String namespace) {
        return new RedisState(redis, namespace);
    }

    private static final class ScriptCalls implements StoreRequests {
        @Override
        public Matching acquire(LockKey key) {
            return calls(Script.ATTEMPT, key);
        }

        @Override
        public Matching renew(LockKey key) {
            return calls(Script.RENEW, key);
        }

        @Override
        public Matching release(LockKey key) {
            return calls(Script.RELEASE, key);
        }

        @Override
        public Optional<Matching> subscribe() {
            return Optional.of(Matching.request(
                    bytes -> new String(bytes, StandardCharsets.ISO_8859_1).startsWith("*2\r\n$9\r\nSUBSCRIBE")));
        }

        private static Matching calls(Script script, LockKey key) {
            return Matching.request(bytes -> {
                String text = new String(bytes, StandardCharsets.ISO_8859_1);
                return text.contains(script.digest()) && text.contains("lock:" + key.name());
            });
        }
    }

    private record RedisState(RedisServer redis, String namespace) implements StoreState {
        private String lock(LockKey key) {
            return namespace + ":lock:" + key.name();
        }

        @Override
        public long recordedGrant(LockKey key) {
            return Long.parseLong(redis.command("GET", lock(key)).split("#", -1)[1]);
        }

        /** All keys of a namespace share one counter. */
        @Override
        public long lastNumber(LockKey key) {
            return Long.parseLong(redis.command("GET", namespace + ":interlock:counter"));
        }

        @Override
        public long millisLeft(LockKey key) {
            return Long.parseLong(redis.command("PTTL", lock(key)));
        }

        @Override
        public boolean hasQueue(LockKey key) {
            return redis.command("EXISTS", "{" + lock(key) + "}:q").equals("1");
        }

        /** Everything in the namespace except the counter and the namespace agreement, which stay. */
        @Override
        public List<String> leftovers() {
            return Arrays.stream(redis.command("KEYS", "*" + namespace + ":*").split("\n"))
                    .filter(key -> !key.isEmpty()
                            && !key.endsWith(":interlock:counter")
                            && !key.endsWith(":interlock:agreement"))
                    .toList();
        }

        @Override
        public long connectionsInUse() {
            return redis.command("CLIENT", "LIST")
                    .lines()
                    .filter(line -> line.contains(" name=" + namespace + " "))
                    .count();
        }
    }
}
