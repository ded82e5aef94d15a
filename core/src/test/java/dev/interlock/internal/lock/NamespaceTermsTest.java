package dev.interlock.internal.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockType;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class NamespaceTermsTest {
    private static final NamespaceTerms NONE = new NamespaceTerms(List.of());

    private static Map<String, Integer> ranks(String first, String... more) {
        return NamespaceTerms.ranksOf(LockOrder.of(first, more));
    }

    @Test
    void textCanBeReadAgain() throws NamespaceTerms.UnknownVersion {
        NamespaceTerms terms = NONE.with(NamespaceTerms.ranksOf(LockOrder.of(List.of(
                        LockType.ranked("payment:order", -3),
                        LockType.ranked("with space = and %", 7),
                        LockType.ranked("ünïcode 🔒", Integer.MAX_VALUE)))))
                .with(ranks("x", "y"));

        assertThat(NamespaceTerms.parse(terms.text())).isEqualTo(terms);
        assertThat(terms.text().lines()).hasSize(3).first().isEqualTo("interlock 1");
    }

    @Test
    void emptyTextHasNoOrders() throws NamespaceTerms.UnknownVersion {
        assertThat(NamespaceTerms.parse("")).isEqualTo(NONE);
        assertThat(NamespaceTerms.parse(NONE.text())).isEqualTo(NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock 2", "redlock", "interlock 1\nno rank", "interlock 1\na=x", "interlock 1\n%zz=1"})
    void textOfAnotherVersionIsRefused(String text) {
        assertThatThrownBy(() -> NamespaceTerms.parse(text))
                .isInstanceOf(NamespaceTerms.UnknownVersion.class)
                .hasMessageContaining("interlock 1");
    }

    @Test
    void unrankedTypesAreNotPartOfTheTerms() {
        assertThat(NamespaceTerms.ranksOf(LockOrder.of(List.of(LockType.of("a")))))
                .isEmpty();
        assertThat(NONE.with(Map.of())).isEqualTo(NONE);
    }

    @Test
    void swapIsAConflict() {
        NamespaceTerms terms = NONE.with(ranks("a", "b", "c"));

        assertThat(terms.conflictWith(ranks("c", "a")))
                .hasValueSatisfying(sentence -> assertThat(sentence).contains("\"c\" comes before \"a\""));
        assertThat(terms.conflictWith(ranks("a", "c"))).isEmpty();
        assertThat(terms.conflictWith(ranks("x", "a", "y", "c"))).isEmpty();
    }

    @Test
    void numbersDoNotMatterOnlyTheOrderDoes() {
        NamespaceTerms terms = NONE.with(Map.of("a", -100, "b", 5));

        assertThat(terms.conflictWith(Map.of("a", 1, "b", 2_000_000_000))).isEmpty();
        assertThat(terms.conflictWith(Map.of("a", 2, "b", 1))).isPresent();
    }

    @Test
    void cycleThroughOthersIsAConflict() {
        NamespaceTerms terms = NONE.with(ranks("a", "b")).with(ranks("b", "c")).with(ranks("c", "d"));

        assertThat(terms.conflictWith(ranks("d", "a"))).isPresent();
        assertThat(terms.conflictWith(ranks("d", "x", "y", "a"))).isPresent();
        assertThat(terms.conflictWith(ranks("a", "d"))).isEmpty();
    }

    @Test
    void typesOfEqualRankAreOrderedByName() {
        NamespaceTerms terms = NONE.with(Map.of("a", 1, "b", 1));

        assertThat(terms.conflictWith(ranks("b", "a"))).isPresent();
        assertThat(terms.conflictWith(ranks("a", "b"))).isEmpty();
    }

    @Test
    void orderThatAddsNothingIsLeftOut() {
        NamespaceTerms terms = NONE.with(ranks("a", "b", "c"));

        assertThat(terms.with(ranks("a", "c"))).isEqualTo(terms);
        assertThat(terms.with(ranks("a", "b", "c", "d")).orders()).hasSize(1);
        assertThat(terms.with(ranks("c", "d")).orders()).hasSize(2);
    }

    @Test
    void numberOfOrdersIsBounded() {
        NamespaceTerms terms = NONE;
        for (int i = 0; i < 64; i++) {
            assertThat(terms.isFull()).isFalse();
            terms = terms.with(ranks("a" + i, "b" + i));
        }
        assertThat(terms.isFull()).isTrue();
    }
}
