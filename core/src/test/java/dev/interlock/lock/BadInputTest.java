package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.Arrays;
import java.util.Collection;
import java.util.List;
import java.util.Optional;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

/**
 * Bad input is refused with a specific exception and a message that says what to change, before any call to the store.
 */
class BadInputTest {
    private static final LockKey KEY = LockKey.of("k");

    private final TwoProcesses world = new TwoProcesses();
    private final Locks locks = world.locks();

    @AfterEach
    void nothingWasAcquired() {
        assertThat(world.wire.calls(Op.ATTEMPT)).isZero();
        assertThat(world.ours.operator().list("", Optional.empty(), 10).locks()).isEmpty();
        world.close();
    }

    private static void refused(ThrowingCallable call, String... sentence) {
        assertThatThrownBy(call).isInstanceOf(IllegalArgumentException.class).hasMessageContainingAll(sentence);
    }

    private static void refusedNull(ThrowingCallable call, String... sentence) {
        assertThatThrownBy(call).isInstanceOf(NullPointerException.class).hasMessageContainingAll(sentence);
    }

    @Nested
    class InNames {
        @Test
        void nullIsRefused() {
            refusedNull(() -> LockKey.of(null), "name is null", "needs a name");
            refusedNull(() -> LockKey.of((String) null, "x"), "type is null");
            refusedNull(() -> LockKey.of("x", null), "id is null");
            refusedNull(() -> locks.with((LockKey) null), "key is null: say what to lock");
            refusedNull(() -> locks.with((Collection<LockKey>) null), "keys is null");
            refusedNull(() -> locks.with(Arrays.asList(KEY, null)), "One of the keys is null: remove it");
            refusedNull(() -> locks.with(KEY).in(null), "scope is null", "leave it out");
            refusedNull(() -> locks.with(KEY).run(null), "work is null");
            refusedNull(() -> locks.with(KEY).call(null), "work is null");
            refusedNull(() -> locks.with(KEY).tryRun(null), "work is null");
            refusedNull(() -> locks.asLock(null), "key is null");
        }

        @Test
        void emptyIsRefused() {
            refused(() -> LockKey.of(""), "Lock key is empty", "at least one character");
            refused(() -> LockKey.of("", "x"), "empty type", "LockKey.of(name)");
            refused(() -> LockKey.of("x", ""), "empty id");
            refused(() -> LockType.of(""), "Lock type is empty");
        }

        @Test
        void nameOf512BytesIsAcceptedAndOneMoreIsRefused() {
            assertThat(LockKey.of("x".repeat(512)).name()).hasSize(512);
            assertThat(LockKey.of("🔒".repeat(128)).name()).hasSize(256);
            assertThat(LockKey.of("é".repeat(256)).name()).hasSize(256);
            assertThat(LockKey.of("€".repeat(170) + "é").name()).hasSize(171);

            refused(() -> LockKey.of("x".repeat(513)), "513 bytes", "at most 512", "shorten it");
            refused(() -> LockKey.of("🔒".repeat(128) + "x"), "513 bytes");
            refused(() -> LockKey.of("type", "x".repeat(508)), "513 bytes");
            refused(() -> LockKey.of("€".repeat(171)), "513 bytes");
        }

        @ParameterizedTest
        @ValueSource(strings = {"a\nb", "a\u0000", "\u001f", "tab\there", "\u007f", "\u0085"})
        void controlCharactersAreRefused(String name) {
            refused(() -> LockKey.of(name), "control character U+", "remove or encode it");
        }

        @ParameterizedTest
        @MethodSource("dev.interlock.lock.BadInputTest#loneSurrogates")
        void loneSurrogatesAreRefused(String name) {
            refused(() -> LockKey.of(name), "lone surrogate U+D", "fix the string's encoding");
        }

        @Test
        void typeMustNotEndWithAColon() {
            refused(() -> LockType.of("payment:"), "ends with a colon", "leave it out");
        }

        @Test
        void namesOfProcessesAndScopesAreShortAndHaveOneLine() {
            Interlock.Builder builder = Interlock.builder(InMemoryBackend.create());
            for (String bad : List.of("", "   ", "a\nb", "x".repeat(129))) {
                refused(() -> builder.name(bad), "A process name has 1 to 128 characters");
                refused(() -> locks.newScope(bad), "A scope's name has 1 to 128 characters");
            }
            refusedNull(() -> builder.name(null), "null: give one");
            refusedNull(() -> locks.newScope(null), "null: give one");
            assertThat(locks.newScope("x".repeat(128)).name()).startsWith("x");
        }
    }

    static List<String> loneSurrogates() {
        return List.of("\uD800", "a\uDC00b", "\uDC00\uD800", "x\uD83D", "\uD83D\uD83D\uDD12");
    }

    @Nested
    class InCounts {
        @Test
        void noKeysAreRefused() {
            refused(() -> locks.with(List.of()), "No keys", "name at least one");
        }

        @Test
        void moreThan1024KeysAreRefused() {
            List<LockKey> keys = IntStream.range(0, 1025)
                    .mapToObj(i -> LockKey.of("n", "" + i))
                    .toList();

            refused(() -> locks.with(keys), "1025 keys", "at most 1024", "lock something coarser");
            assertThat(locks.with(keys.subList(0, 1024))).isNotNull();
        }

        @Test
        void permitsOutOfRangeAreRefused() {
            for (int[] bad : new int[][] {{0, 1}, {-1, 3}, {2, 1}, {1, 0}, {1, 1_000_001}}) {
                refused(
                        () -> locks.with(KEY).permits(bad[0], bad[1]),
                        bad[0] + " permits of " + bad[1],
                        "at least one");
            }
            assertThat(locks.with(KEY).permits(1_000_000, 1_000_000)).isNotNull();
        }

        @Test
        void pageSizeOutOfRangeIsRefused() {
            refused(() -> world.ours.operator().list("", Optional.empty(), 0), "limit is 0", "1 to 1000");
            refused(() -> world.ours.operator().list("", Optional.empty(), 1001), "limit is 1001");
            refusedNull(() -> world.ours.operator().list(null, Optional.empty(), 1), "prefix is null");
            refusedNull(() -> world.ours.operator().forceRelease(null), "key is null");
        }
    }

    @Nested
    class InTypes {
        @Test
        void unknownTypeIsRefusedWhenTheOrderIsClosed() {
            try (TwoProcesses closed = TwoProcesses.with(
                    options -> options.order(LockOrder.of("a", "b").closed()))) {
                refused(
                        () -> closed.locks().acquire(LockKey.of("c", "1")),
                        "\"c:1\" is of no declared lock type",
                        "declare its type among [a, b]");
                refused(
                        () -> closed.locks()
                                .with(List.of(LockKey.of("a"), LockKey.of("ax")))
                                .acquire(),
                        "\"ax\"");
                assertThat(closed.wire.calls(Op.ATTEMPT)).isZero();
                assertThat(closed.locks().acquire(LockKey.of("b", "1")).isHeld())
                        .isTrue();
            }
        }

        @Test
        void nullOptionIsRefusedWithAMessage() {
            Interlock.Builder builder = Interlock.builder(InMemoryBackend.create());
            refusedNull(() -> builder.defaults(null), "defaults is null: ");
            refusedNull(() -> builder.order(null), "order is null: ");
            refusedNull(() -> builder.orderPolicy(null), "policy is null: ");
            refusedNull(() -> builder.listener(null), "listener is null: ");
            refusedNull(() -> builder.leakTracing(null), "tracing is null: ");
            refusedNull(() -> builder.environment(null), "environment is null: ");
        }

        @Test
        void nullKeyOfAnInspectionIsRefusedWithAMessage() {
            refusedNull(() -> world.ours.operator().inspect(null), "key is null: ");
        }

        @Test
        void typeDeclaredTwiceIsRefused() {
            refused(() -> LockOrder.of("a", "b", "a"), "\"a\" is declared twice", "keep one");
            refusedNull(() -> LockOrder.of(Arrays.asList(LockType.of("a"), null)), "A lock type is null");
        }
    }
}
