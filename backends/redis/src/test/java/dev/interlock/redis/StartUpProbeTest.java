package dev.interlock.redis;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.PendingLease;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.servers.RedisReplicated;
import dev.interlock.testkit.servers.RedisServer;
import java.io.IOException;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * A server that cannot be trusted, or refuses this user, is rejected at start-up with a message that names the setting
 * (X18, R12).
 */
@Tag("server")
class StartUpProbeTest {
    private static final String SECRET = "s3cret-pa55word";

    /** Commands that the backend requires, as listed in docs/backends/redis.md. */
    private static final List<String> REQUIRED = List.of(
            "info", "time", "eval", "evalsha", "del", "exists", "get", "hdel", "hexists", "hget", "hgetall", "hmget",
            "hset", "incr", "incrby", "lindex", "lrange", "lrem", "mget", "pexpire", "pttl", "rpush", "set", "type");

    /** Optional commands: they make it faster or show more. */
    private static final List<String> OPTIONAL =
            List.of("script|load", "subscribe", "publish", "ping", "scan", "config|get");

    @Order(1)
    @RegisterExtension
    static final RedisServer redis = RedisServer.own();

    @Order(2)
    @RegisterExtension
    final Processes processes = new Processes();

    private final LockKey key = LockKey.of("x");
    private final CapturedLog log = new CapturedLog();

    @BeforeEach
    void capture() {
        log.start();
    }

    @AfterEach
    void noSecretWasLogged() {
        log.stop();
        assertThat(log.lines()).noneMatch(line -> line.contains(SECRET));
        redis.command("CONFIG", "SET", "maxmemory", "0");
        redis.command("CONFIG", "SET", "maxmemory-policy", "noeviction");
    }

    private String address() {
        return redis.node().address();
    }

    private String login(String user) {
        return "redis://" + user + ":" + SECRET + "@" + address();
    }

    private void user(String name, List<String> commands, String... more) {
        List<String> words = new ArrayList<>(List.of("ACL", "SETUSER", name, "reset", "on", ">" + SECRET));
        commands.forEach(command -> words.add("+" + command));
        words.addAll(List.of(more));
        redis.command(words.toArray(String[]::new));
    }

    static List<String> all(String... except) {
        List<String> commands = new ArrayList<>(REQUIRED);
        commands.addAll(OPTIONAL);
        commands.removeAll(List.of(except));
        return commands;
    }

    static final String[] KEYS = {"~lock:*", "~{lock:*}:*", "~interlock:*", "&interlock:push:*"};

    @ParameterizedTest
    @ValueSource(strings = {"allkeys-lru", "volatile-lru", "volatile-ttl", "allkeys-random"})
    void evictingServerIsRefusedUnlessAccepted(String policy) {
        redis.command("CONFIG", "SET", "maxmemory", "100mb");
        redis.command("CONFIG", "SET", "maxmemory-policy", policy);
        assertThatThrownBy(() -> RedisBackend.connect(redis.uri()))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContainingAll("maxmemory-policy", policy, "noeviction", "acceptEviction()");
        processes
                .locks(RedisBackend.builder(redis.uri()).acceptEviction())
                .acquire(key)
                .close();
    }

    @Test
    void evictionPolicyWithoutAMemoryLimitIsAccepted() {
        redis.command("CONFIG", "SET", "maxmemory-policy", "allkeys-lru");
        processes.locks(RedisBackend.builder(redis.uri())).acquire(key).close();
    }

    @Test
    void wrongPasswordIsRefusedWithoutShowingIt() {
        user("known", all(), KEYS);
        for (String uri : List.of(
                "redis://known:" + SECRET + "-not@" + address(), "redis://stranger:" + SECRET + "@" + address())) {
            // The driver may report the closed connection before the reason.
            Throwable refused = Awaitility.await()
                    .atMost(ofSeconds(20))
                    .until(
                            () -> catchThrowable(() -> RedisBackend.connect(uri)),
                            error -> !String.valueOf(error).contains("closed prematurely"));
            assertThat(refused).isInstanceOf(LockRefusedException.class).hasMessageContaining("user and password");
            assertThat(everything(refused)).doesNotContain(SECRET);
        }
    }

    private static String everything(Throwable error) {
        StringWriter text = new StringWriter();
        error.printStackTrace(new PrintWriter(text));
        return text.toString();
    }

    @Test
    void passwordsAreNeverShown() {
        user("known", all(), KEYS);
        RedisBackend.Builder builder = RedisBackend.builder(login("known"));
        Interlock interlock = processes.open(builder);
        RedisBackend backend = builder.build();
        try (backend) {
            for (Object shown : List.of(builder, backend, backend.name(), interlock)) {
                assertThat(String.valueOf(shown)).doesNotContain(SECRET);
            }
        }
        redis.command("ACL", "DELUSER", "known");
        Throwable unavailable = catchThrowable(() -> interlock.locks().acquire(key));
        assertThat(everything(unavailable)).doesNotContain(SECRET);
        Throwable malformed = catchThrowable(() -> RedisBackend.connect("redis://a:" + SECRET + "@:not a port"));
        assertThat(everything(malformed)).doesNotContain(SECRET).contains("Not a Redis URI");
    }

    /** X18: including waiting, pushes, all modes, lists and forced release. */
    @Test
    void userWithMinimalPermissionsCanUseEverything() {
        user("minimal", all(), KEYS);
        useEverything(login("minimal"));
        assertThat(log.lines()).noneMatch(line -> line.contains("NOPERM"));
        assertThat(redis.command("ACL", "LOG")).doesNotContain("minimal");
    }

    @Test
    void userWithoutOptionalPermissionsCanLock() {
        user("spartan", REQUIRED, KEYS);
        Interlock interlock = processes.open(RedisBackend.builder(login("spartan")));
        Interlock second = processes.open(RedisBackend.builder(login("spartan")));
        handOver(interlock, second, ofSeconds(5));
        assertThat(log.lines()).anyMatch(line -> line.contains("does not let this user publish"));
    }

    private void useEverything(String uri) {
        Interlock interlock = processes.open(RedisBackend.builder(uri));
        Interlock second = processes.open(RedisBackend.builder(uri));
        handOver(interlock, second, ofSeconds(5));
        interlock.locks().with(key).shared().acquire().close();
        interlock.locks().with(key).permits(2, 3).acquire().close();
        interlock.locks().with(key).lockDelay(Duration.ofMillis(5)).acquire().close();
        interlock
                .locks()
                .with(List.of(LockKey.of("a"), LockKey.of("b")))
                .acquire()
                .close();
        Lease forced = interlock.locks().acquire(LockKey.of("forced"));
        assertThat(interlock.operator().list("", Optional.empty(), 100).locks()).isNotEmpty();
        assertThat(interlock.operator().forceRelease(forced.key())).isOne();
        assertThatThrownBy(() -> forced.renew(ofSeconds(10))).isNotNull();
    }

    /** One process waits for the other and gets the lock. Returns the milliseconds from release to grant. */
    private long handOver(Interlock one, Interlock two, Duration within) {
        Lease held = one.locks().acquire(key);
        PendingLease<Lease> waiting =
                two.locks().with(key).waitAtMost(ofSeconds(10)).acquireAsync();
        Awaitility.await().until(() -> redis.command("LLEN", "{lock:x}:q").equals("1"));
        long start = System.nanoTime();
        held.close();
        assertThat(waiting.toCompletableFuture()).succeedsWithin(within).satisfies(Lease::close);
        return TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - start);
    }

    @ParameterizedTest
    @MethodSource("required")
    void missingPermissionIsNamedAtStartUp(String command) {
        user("restricted", all(command), KEYS);
        assertThatThrownBy(() -> RedisBackend.connect(login("restricted")))
                .isInstanceOf(LockRefusedException.class)
                .satisfies(refused -> assertThat(refused.getMessage().toLowerCase(Locale.ROOT))
                        .containsPattern("\\b" + command + "\\b")
                        .contains("minimal acl"));
    }

    static List<String> required() {
        return REQUIRED;
    }

    @ParameterizedTest
    @ValueSource(strings = {"~lock:*", "~{lock:*}:*", "~interlock:*"})
    void missingKeyPermissionIsNamedAtStartUpOrAtTheFirstLock(String pattern) {
        List<String> rest = new ArrayList<>(List.of(KEYS));
        rest.remove(pattern);
        user("keyless", all(), rest.toArray(String[]::new));
        assertThatThrownBy(() ->
                        processes.locks(RedisBackend.builder(login("keyless"))).acquire(key))
                .isInstanceOf(LockRefusedException.class)
                .hasMessageContaining("Minimal ACL");
    }

    /** N18 by permissions: waiters poll, because they receive no push. */
    @Test
    void waitersPollIfChannelsAreDenied() {
        user("nopush", all(), "~lock:*", "~{lock:*}:*", "~interlock:*", "resetchannels");
        Interlock one = processes.open(RedisBackend.builder(login("nopush")));
        Interlock two = processes.open(RedisBackend.builder(login("nopush")));
        long millis = handOver(one, two, ofSeconds(5));
        System.out.printf("Handed over without channels after %d ms%n", millis);
        assertThat(log.lines()).anyMatch(line -> line.contains("interlock:push:*"));
    }

    @Test
    void replicaIsRefused() {
        try (RedisReplicated pair = RedisReplicated.own()) {
            pair.start();
            assertThatThrownBy(() ->
                            RedisBackend.connect("redis://" + pair.replica().address()))
                    .isInstanceOf(StoreUnavailableException.class)
                    .hasMessageContaining("is a replica")
                    .hasMessageContaining("redis-sentinel://");
        }
    }

    @Test
    void addressThatDoesNotAnswerFailsWithinSeconds() throws IOException {
        try (ServerSocket silent = new ServerSocket(0, 10, InetAddress.getLoopbackAddress())) {
            String refusing = "redis://127.0.0.1:1";
            String unanswered = "redis://127.0.0.1:" + silent.getLocalPort();
            String sentinel = "redis-sentinel://127.0.0.1:" + silent.getLocalPort() + "/0#primary";
            for (String uri : List.of(refusing, unanswered, sentinel)) {
                long start = System.nanoTime();
                assertThatThrownBy(() -> RedisBackend.builder(uri)
                                .silenceLimit(ofSeconds(1))
                                .build())
                        .isInstanceOf(StoreUnavailableException.class)
                        .hasMessageContaining("127.0.0.1");
                assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(ofSeconds(6));
            }
        }
    }
}
