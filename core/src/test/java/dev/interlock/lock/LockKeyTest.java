package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.Arrays;
import java.util.List;
import java.util.Random;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class LockKeyTest {
    @Test
    void typeAndIdAreJoinedByAColon() {
        assertThat(LockKey.of("inventory", "sku-1").name()).isEqualTo("inventory:sku-1");
        assertThat(LockKey.of("payment:order", "9")).isEqualTo(LockKey.of("payment", "order:9"));
    }

    @Test
    void keysAreEqualWhenTheirNamesAre() {
        assertThat(LockKey.of("a", "b")).isEqualTo(LockKey.of("a:b")).hasSameHashCodeAs(LockKey.of("a:b"));
        assertThat(LockKey.of("a"))
                .isNotEqualTo(LockKey.of("A"))
                .isNotEqualTo("a")
                .isNotEqualTo(null);
        assertThat(LockKey.of("Aa")).isNotEqualTo(LockKey.of("BB")).hasSameHashCodeAs(LockKey.of("BB"));
        assertThat(LockKey.of("a:b")).hasToString("a:b");
    }

    @ParameterizedTest
    @ValueSource(strings = {"'", "\"", "{x}", "a/b", "..", "%", "ß", "İ", "שלום", "👩‍👩‍👧", " ", ":", "a:"})
    void anyOtherCharacterIsAllowed(String name) {
        assertThat(LockKey.of(name).name()).isEqualTo(name);
    }

    @Test
    void orderIsByCodePoint() {
        List<LockKey> sorted = List.of(
                LockKey.of("A"),
                LockKey.of("a"),
                LockKey.of("a:1"),
                LockKey.of("a:1:1"),
                LockKey.of("ab"),
                LockKey.of("é"),
                LockKey.of("\uFFFD"), // in UTF-16, this sorts after every surrogate
                LockKey.of("🔒"));

        for (int i = 0; i < sorted.size(); i++) {
            for (int j = 0; j < sorted.size(); j++) {
                assertThat(Integer.signum(sorted.get(i).compareTo(sorted.get(j))))
                        .isEqualTo(Integer.compare(i, j));
            }
        }
    }

    @Test
    void orderIsThatOfTheBytesInUtf8() {
        Random random = new Random(42);
        int[] alphabet = {'a', 'b', 0xE9, 0x20AC, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x1F512, 0x10FFFF};
        for (int i = 0; i < 20_000; i++) {
            LockKey left = random(random, alphabet);
            LockKey right = random(random, alphabet);
            int expected = Arrays.compareUnsigned(
                    left.name().getBytes(StandardCharsets.UTF_8), right.name().getBytes(StandardCharsets.UTF_8));
            assertThat(Integer.signum(left.compareTo(right)))
                    .as("%s and %s", left, right)
                    .isEqualTo(Integer.signum(expected));
        }
    }

    private static LockKey random(Random random, int[] alphabet) {
        StringBuilder name = new StringBuilder();
        int length = 1 + random.nextInt(4);
        for (int i = 0; i < length; i++) {
            name.appendCodePoint(alphabet[random.nextInt(alphabet.length)]);
        }
        return LockKey.of(name.toString());
    }
}
