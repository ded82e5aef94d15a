package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class TokenAndOwnerTest {
    @Nested
    class FencingTokens {
        @Test
        void grantAndPassAreParts() {
            FencingToken token = FencingToken.of(5, 3);

            assertThat(token.value()).isEqualTo(5 * 1024 + 3);
            assertThat(token.grant()).isEqualTo(5);
            assertThat(token.pass()).isEqualTo(3);
            assertThat(token).hasToString("5123");
        }

        @Test
        void largestTokenIsTheLargestLong() {
            FencingToken largest = FencingToken.of(FencingToken.MAX_GRANT, FencingToken.MAX_PASS);

            assertThat(largest.value()).isEqualTo(Long.MAX_VALUE);
            assertThat(largest.grant()).isEqualTo(FencingToken.MAX_GRANT);
            assertThat(largest.pass()).isEqualTo(FencingToken.MAX_PASS);
        }

        @Test
        void passesOfAGrantAreSmallerThanTheNextGrant() {
            assertThat(FencingToken.of(1, FencingToken.MAX_PASS)).isLessThan(FencingToken.of(2, 0));
            assertThat(FencingToken.of(2, 0).isNewerThan(FencingToken.of(1, 9))).isTrue();
            assertThat(FencingToken.of(2, 0).isNewerThan(FencingToken.of(2, 0))).isFalse();
            assertThat(FencingToken.of(2, 0).isNewerThan(FencingToken.of(2, 1))).isFalse();
        }

        @Test
        void textCanBeParsed() {
            FencingToken token = FencingToken.of(FencingToken.MAX_GRANT, 7);

            assertThat(FencingToken.parse(token.toString())).isEqualTo(token);
        }

        @Test
        void invalidTokenIsRefused() {
            for (String bad : new String[] {"", "x", "1.5", "9223372036854775808"}) {
                assertThatThrownBy(() -> FencingToken.parse(bad))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageContaining("not a fencing token");
            }
            assertThatThrownBy(() -> FencingToken.parse("-1"))
                    .isInstanceOf(IllegalArgumentException.class)
                    .hasMessageContaining("negative");
            assertThatThrownBy(() -> FencingToken.of(FencingToken.MAX_GRANT + 1, 0))
                    .isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> FencingToken.of(-1, 0)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> FencingToken.of(1, 1024)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> FencingToken.of(1, -1)).isInstanceOf(IllegalArgumentException.class);
        }
    }

    @Nested
    class OwnerIds {
        private final OwnerId owner = new OwnerId("0123456789abcdef0123456789abcdef", 42);

        @Test
        void textHidesTheValue() {
            assertThat(owner.toString()).doesNotContain("0123456789abcdef").endsWith("/42");
            assertThat(owner).hasToString(new OwnerId("0123456789abcdef0123456789abcdef", 42).toString());
            assertThat(owner.toString()).isNotEqualTo(new OwnerId("other", 42).toString());
        }

        @Test
        void valueCanBeParsed() {
            assertThat(owner.value()).isEqualTo("0123456789abcdef0123456789abcdef/42");
            assertThat(OwnerId.parse(owner.value())).isEqualTo(owner);
            assertThat(OwnerId.parse("x/-7")).isEqualTo(new OwnerId("x", -7));
        }

        @Test
        void invalidOwnerIsRefusedWithoutShowingIt() {
            for (String bad : new String[] {"", "secret", "/1", "secret/", "secret/x", "a/secret/1"}) {
                assertThatThrownBy(() -> OwnerId.parse(bad))
                        .isInstanceOf(IllegalArgumentException.class)
                        .hasMessageNotContaining("secret");
            }
            assertThatThrownBy(() -> new OwnerId("", 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new OwnerId("x".repeat(65), 1)).isInstanceOf(IllegalArgumentException.class);
            assertThatThrownBy(() -> new OwnerId("a/b", 1)).isInstanceOf(IllegalArgumentException.class);
        }
    }
}
