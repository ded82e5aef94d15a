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

class NamespaceAgreementTest {
    private static final NamespaceAgreement NONE = new NamespaceAgreement(List.of());

    private static Map<String, Integer> ranks(String first, String... more) {
        return NamespaceAgreement.ranksOf(LockOrder.of(first, more));
    }

    @Test
    void textCanBeParsed() throws NamespaceAgreement.UnknownVersion {
        NamespaceAgreement terms = NONE.with(NamespaceAgreement.ranksOf(LockOrder.of(List.of(
                        LockType.ranked("payment:order", -3),
                        LockType.ranked("with space = and %", 7),
                        LockType.ranked("ünïcode 🔒", Integer.MAX_VALUE)))))
                .with(ranks("x", "y"));

        assertThat(NamespaceAgreement.parse(terms.text())).isEqualTo(terms);
        assertThat(terms.text().lines()).hasSize(3).first().isEqualTo("interlock 2");
    }

    @Test
    void emptyTextHasNoOrders() throws NamespaceAgreement.UnknownVersion {
        assertThat(NamespaceAgreement.parse("")).isEqualTo(NONE);
        assertThat(NamespaceAgreement.parse(NONE.text())).isEqualTo(NONE);
    }

    @ParameterizedTest
    @ValueSource(strings = {"interlock 3", "redlock", "interlock 2\nno rank", "interlock 2\na=x", "interlock 2\n%zz=1"})
    void textOfAnotherVersionIsRefused(String text) {
        assertThatThrownBy(() -> NamespaceAgreement.parse(text))
                .isInstanceOf(NamespaceAgreement.UnknownVersion.class)
                .hasMessageContaining("interlock 2");
    }

    @Test
    void unrankedTypesAreNotPartOfTheAgreement() {
        assertThat(NamespaceAgreement.ranksOf(LockOrder.of(List.of(LockType.of("a")))))
                .isEmpty();
        assertThat(NONE.with(Map.of())).isEqualTo(NONE);
    }

    @Test
    void swappedTypesAreAConflict() {
        NamespaceAgreement terms = NONE.with(ranks("a", "b", "c"));

        assertThat(terms.conflictWith(ranks("c", "a")))
                .hasValueSatisfying(sentence -> assertThat(sentence).contains("\"c\" comes before \"a\""));
        assertThat(terms.conflictWith(ranks("a", "c"))).isEmpty();
        assertThat(terms.conflictWith(ranks("x", "a", "y", "c"))).isEmpty();
    }

    @Test
    void onlyTheOrderOfRanksMatters() {
        NamespaceAgreement terms = NONE.with(Map.of("a", -100, "b", 5));

        assertThat(terms.conflictWith(Map.of("a", 1, "b", 2_000_000_000))).isEmpty();
        assertThat(terms.conflictWith(Map.of("a", 2, "b", 1))).isPresent();
    }

    @Test
    void cycleThroughOtherOrdersIsAConflict() {
        NamespaceAgreement terms =
                NONE.with(ranks("a", "b")).with(ranks("b", "c")).with(ranks("c", "d"));

        assertThat(terms.conflictWith(ranks("d", "a"))).isPresent();
        assertThat(terms.conflictWith(ranks("d", "x", "y", "a"))).isPresent();
        assertThat(terms.conflictWith(ranks("a", "d"))).isEmpty();
    }

    @Test
    void typesOfEqualRankAreOrderedByName() {
        NamespaceAgreement terms = NONE.with(Map.of("a", 1, "b", 1));

        assertThat(terms.conflictWith(ranks("b", "a"))).isPresent();
        assertThat(terms.conflictWith(ranks("a", "b"))).isEmpty();
    }

    @Test
    void orderThatAddsNothingIsLeftOut() {
        NamespaceAgreement terms = NONE.with(ranks("a", "b", "c"));

        assertThat(terms.with(ranks("a", "c"))).isEqualTo(terms);
        assertThat(terms.with(ranks("a", "b", "c", "d")).orders()).hasSize(1);
        assertThat(terms.with(ranks("c", "d")).orders()).hasSize(2);
    }

    @Test
    void numberOfOrdersIsBounded() {
        NamespaceAgreement terms = NONE;
        for (int i = 0; i < 64; i++) {
            assertThat(terms.isFull()).isFalse();
            terms = terms.with(ranks("a" + i, "b" + i));
        }
        assertThat(terms.isFull()).isTrue();
    }
}
