package dev.interlock.redis;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.testkit.servers.RedisCluster;
import dev.interlock.testkit.servers.RedisServer;
import java.net.URI;
import java.util.ArrayList;
import java.util.Collections;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Random;
import java.util.Set;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import redis.clients.jedis.Jedis;

/** Every name is one lock in one slot, and no two names share a lock. */
@Tag("server")
class KeyNamesTest {
    private static final List<String> HOSTILE = List.of(
            "{a}b",
            "{}",
            "}{",
            "a{b",
            "a}b",
            "{{a}}",
            "{",
            "}",
            "%",
            "%7B",
            "%7b",
            "%25",
            "%257B",
            "a%",
            "a*",
            "a?",
            "a[b]",
            "a\\b",
            "a^-b",
            "lock:x",
            "interlock:counter",
            ":",
            "::",
            "q",
            "}:q",
            "{lock:x}:q",
            "%probe",
            "\u202Eabc",
            "\uD83D\uDD12",
            "ünï",
            " ");

    @RegisterExtension
    static final RedisServer redis = RedisServer.shared();

    @RegisterExtension
    static final RedisCluster cluster = RedisCluster.shared();

    @RegisterExtension
    final Processes processes = new Processes();

    private Interlock open() {
        return processes.open(RedisBackend.builder(redis.uri()).namespace(redis.namespace()));
    }

    /** X04, as the server computes the slots. */
    @Test
    void allKeysOfALockAreInOneSlot() {
        RedisKeys keys = new RedisKeys("some", true);
        String first = cluster.uris().split(",", -1)[0];
        try (Jedis node = new Jedis(URI.create(first))) {
            for (String name : HOSTILE) {
                String lock = keys.lock(LockKey.of(name));
                int slot = keys.slot(lock);
                List<String> all = new ArrayList<>(List.of(lock, keys.counter(slot), keys.quarantine(slot)));
                for (String side : List.of("q", "w", "s", "d", "f")) {
                    all.add("{" + lock + "}:" + side);
                }
                for (String key : all) {
                    assertThat(node.clusterKeySlot(key))
                            .as("slot of %s, for the lock %s", key, name)
                            .isEqualTo(slot);
                }
            }
        }
    }

    /** X04 */
    @Test
    void nameCannotChooseItsSlot() {
        RedisKeys keys = new RedisKeys("", true);
        Set<Integer> slots = new HashSet<>();
        for (int i = 0; i < 1_000; i++) {
            slots.add(keys.slot(keys.lock(LockKey.of("{hot}" + i))));
        }
        assertThat(slots).hasSizeGreaterThan(900);
    }

    /** X06, X02: all of them are held at the same time, twice. */
    @Test
    void namesThatLookAlikeAreDifferentLocks() {
        List<String> names = new ArrayList<>(HOSTILE);
        names.addAll(List.of(
                "Name", "name", "NAME", "é", "e\u0301", "name ", " name", "name\u00A0", "x", "x\u200B", "ﬁ", "fi"));
        List<LockKey> sorted = new ArrayList<>(names.stream().map(LockKey::of).toList());
        Collections.sort(sorted);
        Interlock interlock = open();
        for (int round = 0; round < 2; round++) {
            List<Lease> held = new ArrayList<>();
            for (LockKey key : sorted) {
                held.add(interlock.locks().tryAcquire(key).orElseThrow(() -> new AssertionError(key + " is taken")));
            }
            List<LockKey> listed = interlock.operator().list("", Optional.empty(), 1_000).locks().stream()
                    .map(LockSnapshot::key)
                    .toList();
            assertThat(listed).containsExactlyElementsOf(sorted);
            held.forEach(Lease::close);
        }
    }

    /** X02: characters that could break a log line or move a terminal cursor are rejected. */
    @ParameterizedTest
    @ValueSource(strings = {"a\u0000b", "a\rb", "a\nb", "a\u001b[31mb", "a\u007fb", "a\u0085b", "a\ud800b"})
    void controlCharactersAreRejected(String name) {
        assertThatThrownBy(() -> LockKey.of(name)).isInstanceOf(IllegalArgumentException.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"a*", "a?", "a[", "a\\", "a^", "{a", "%7B", "a"})
    void prefixOfAListMatchesLiterally(String prefix) {
        Interlock interlock = open();
        List<LockKey> keys = new ArrayList<>();
        for (String name : List.of("a*1", "a?1", "a[1]", "a\\1", "a^1", "ab1", "{a}1", "%7Ba}1", "A*1")) {
            keys.add(LockKey.of(name));
        }
        Collections.sort(keys);
        keys.forEach(key -> interlock.locks().acquire(key));
        List<LockKey> listed = interlock.operator().list(prefix, Optional.empty(), 100).locks().stream()
                .map(LockSnapshot::key)
                .toList();
        assertThat(listed)
                .isNotEmpty()
                .containsExactlyElementsOf(keys.stream()
                        .filter(key -> key.name().startsWith(prefix))
                        .toList());
    }

    /** X08 */
    @Test
    void noTwoPairsOfNamespaceAndNameShareAKey() {
        int pairs = Boolean.getBoolean("interlock.soak") ? 1_000_000 : 100_000;
        Random random = new Random(4711);
        String[] pieces = {"a", "b", ":", "lock", "lock:", "%", "7B", "{", "}", "interlock:", "q", "counter", "-", "."};
        Map<String, String> owners = new HashMap<>();
        for (int i = 0; i < pairs; i++) {
            String namespace = text(random, pieces, 0).replaceAll("[^A-Za-z0-9._-]", "");
            String name = text(random, pieces, 1);
            if (namespace.equals("lock")) {
                continue;
            }
            RedisKeys keys = new RedisKeys(namespace, false);
            LockKey key = LockKey.of(name);
            String lock = keys.lock(key);
            assertThat(keys.key(lock)).isEqualTo(key);
            String pair = namespace + '\n' + name;
            for (String used : List.of(lock, "{" + lock + "}:q", "{" + lock + "}:s")) {
                String owner = owners.putIfAbsent(used, pair);
                assertThat(owner == null || owner.equals(pair))
                        .as("%s has %s", owner, used)
                        .isTrue();
            }
            for (String used : List.of(keys.counter(0), keys.quarantine(0), keys.agreement())) {
                String owner = owners.putIfAbsent(used, namespace + '\n');
                assertThat(owner == null || owner.equals(namespace + '\n'))
                        .as("%s has %s", owner, used)
                        .isTrue();
            }
        }
    }

    private static String text(Random random, String[] pieces, int minLength) {
        StringBuilder text = new StringBuilder();
        for (int i = random.nextInt(4) + minLength; i > 0; i--) {
            text.append(pieces[random.nextInt(pieces.length)]);
        }
        return text.toString();
    }

    @ParameterizedTest
    @ValueSource(strings = {"lock", "a:b", "a{b}", "a b", "a*", "ü", "a\nb"})
    void ambiguousNamespaceIsRefused(String namespace) {
        assertThatThrownBy(() -> RedisBackend.builder("redis://localhost").namespace(namespace))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("Namespace");
    }
}
