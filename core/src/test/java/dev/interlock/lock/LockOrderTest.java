package dev.interlock.lock;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.util.ArrayList;
import java.util.List;
import java.util.OptionalInt;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Lock types, and the order in which keys are acquired. */
class LockOrderTest {
    private static List<String> sorted(LockOrder order, String... names) {
        List<LockKey> keys = new ArrayList<>();
        for (String name : names) {
            keys.add(LockKey.of(name));
        }
        keys.sort(order);
        return keys.stream().map(LockKey::name).toList();
    }

    @Test
    void longestDeclaredPrefixGivesTheType() {
        LockOrder order = LockOrder.of("payment", "payment:order", "pay");

        assertThat(typeOf(order, "payment:order:1")).isEqualTo("payment:order");
        assertThat(typeOf(order, "payment:order")).isEqualTo("payment:order");
        assertThat(typeOf(order, "payment:orders")).isEqualTo("payment");
        assertThat(typeOf(order, "payment:order::")).isEqualTo("payment:order");
        assertThat(typeOf(order, "payment")).isEqualTo("payment");
        assertThat(typeOf(order, "pay:x")).isEqualTo("pay");
        assertThat(typeOf(order, "payments:1")).isEqualTo("none");
        assertThat(typeOf(order, ":payment")).isEqualTo("none");
        assertThat(typeOf(LockOrder.none(), "payment")).isEqualTo("none");
    }

    private static String typeOf(LockOrder order, String name) {
        return order.typeOf(LockKey.of(name)).map(LockType::name).orElse("none");
    }

    @Test
    void rankComesBeforeName() {
        LockOrder order = LockOrder.of("z", "y", "x");

        assertThat(sorted(order, "x:1", "y:2", "z:3", "y:1")).containsExactly("z:3", "y:1", "y:2", "x:1");
    }

    @Test
    void ranksAreNumbersNotTexts() {
        LockOrder order = LockOrder.of(IntStream.rangeClosed(1, 200)
                .mapToObj(i -> LockType.ranked("t" + i, i))
                .toList());

        assertThat(sorted(order, "t100:a", "t9:a", "t10:a", "t200:a"))
                .containsExactly("t9:a", "t10:a", "t100:a", "t200:a");
    }

    @Test
    void ranksMayBeNegativeAndExtreme() {
        LockOrder order = LockOrder.of(List.of(
                LockType.ranked("max", Integer.MAX_VALUE),
                LockType.ranked("zero", 0),
                LockType.ranked("min", Integer.MIN_VALUE),
                LockType.ranked("minus", -1)));

        assertThat(sorted(order, "a", "max", "zero", "minus", "min"))
                .containsExactly("min", "minus", "zero", "max", "a");
    }

    @Test
    void unrankedTypesComeAfterRankedOnesOrderedByName() {
        LockOrder order = LockOrder.of(List.of(LockType.of("b"), LockType.ranked("z", 7)));

        assertThat(sorted(order, "c", "b:1", "a", "z:1")).containsExactly("z:1", "a", "b:1", "c");
    }

    @Test
    void equalRanksAreOrderedByName() {
        LockOrder order = LockOrder.of(List.of(LockType.ranked("b", 1), LockType.ranked("a", 1)));

        assertThat(sorted(order, "b:1", "a:2", "b:0")).containsExactly("a:2", "b:0", "b:1");
    }

    @Test
    void subtypeMayHaveAnotherRankThanItsType() {
        LockOrder order = LockOrder.of("payment:order", "payment");

        assertThat(sorted(order, "payment:a", "payment:order:z")).containsExactly("payment:order:z", "payment:a");
    }

    @Test
    void closedOrderListsItsTypes() {
        LockOrder order = LockOrder.of("a", "b");

        assertThat(order.isClosed()).isFalse();
        assertThat(order.closed().isClosed()).isTrue();
        assertThat(order.closed().types()).extracting(LockType::name).containsExactly("a", "b");
        assertThat(order.closed().toString()).contains("a", "b", "closed");
    }

    @Test
    void typeMakesKeysAndCarriesSettings() {
        LockType type =
                LockType.ranked("inventory", 3).with(LockSettings.inherit().leaseFor(ofSeconds(9)));

        assertThat(type.key("sku")).isEqualTo(LockKey.of("inventory:sku"));
        assertThat(type.rank()).isEqualTo(OptionalInt.of(3));
        assertThat(type.settings().leaseFor()).isEqualTo(ofSeconds(9));
        assertThat(LockType.of("inventory").rank()).isEmpty();
    }

    private enum Types {
        CHARACTER,
        GIFT_CARD
    }

    private enum NoTypes {}

    private enum Twins {
        CARD,
        card
    }

    @Test
    void enumDeclaresTheOrderAndMakesTheKeys() {
        LockOrder order = LockOrder.of(Types.class);

        assertThat(order.types()).extracting(LockType::name).containsExactly("character", "gift-card");
        assertThat(order).usingRecursiveComparison().isEqualTo(LockOrder.of("character", "gift-card"));
        assertThat(LockKey.of(Types.GIFT_CARD, "7")).isEqualTo(LockKey.of("gift-card:7"));
        assertThat(order.closed().typeOf(LockKey.of(Types.GIFT_CARD, "7"))).isPresent();
    }

    @Test
    void enumWithoutConstantsOrWithDuplicateNamesIsRefused() {
        assertThatThrownBy(() -> LockOrder.of(NoTypes.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("has no constants");
        assertThatThrownBy(() -> LockOrder.of(Twins.class))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("declared twice");
    }
}
