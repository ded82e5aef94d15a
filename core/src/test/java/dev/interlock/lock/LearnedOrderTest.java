package dev.interlock.lock;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatCode;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import org.awaitility.Awaitility;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Learns in which order locks are nested, and reports the first contradiction between two pieces of code. */
class LearnedOrderTest {
    private final List<LockEvent.OrderInverted> reported = new CopyOnWriteArrayList<>();
    private final Interlock interlock = Interlock.builder(InMemoryBackend.create())
            .orderPolicy(OrderPolicy.ALLOW)
            .listener(event -> {
                if (event instanceof LockEvent.OrderInverted inverted) {
                    reported.add(inverted);
                }
            })
            .build();
    private final Locks locks = interlock.locks();

    @AfterEach
    void close() {
        interlock.close();
    }

    private void nest(String... names) {
        nest(List.of(names));
    }

    private void nest(List<String> names) {
        if (!names.isEmpty()) {
            locks.run(LockKey.of(names.get(0)), lease -> nest(names.subList(1, names.size())));
        }
    }

    private void equipsCharacter() {
        nest("character:1", "equipment:7");
    }

    private void stripsEquipment() {
        nest("equipment:8", "character:2");
    }

    @Test
    void orderIsLearnedPerPairOfTypes() {
        equipsCharacter();
        nest("character:5", "equipment:5", "cube:1");
        assertThat(locks.learnedOrder().steps())
                .extracting(step -> step.held() + " " + step.wanted())
                .containsExactlyInAnyOrder("character equipment", "character cube", "equipment cube");
        assertThatCode(() -> locks.learnedOrder().assertNoInversions()).doesNotThrowAnyException();
    }

    @Test
    void firstInversionIsReportedOnceWithBothStackTraces() {
        equipsCharacter();
        stripsEquipment();
        stripsEquipment();
        equipsCharacter();

        LearnedOrder learned = locks.learnedOrder();
        assertThat(learned.inversions()).hasSize(1);
        LearnedOrder.Inversion inversion = learned.inversions().get(0);
        assertThat(inversion.cycle()).extracting(LearnedOrder.Step::held).containsExactly("equipment", "character");
        assertThat(inversion.toString()).contains("stripsEquipment", "equipsCharacter", "which can deadlock");
        assertThat(inversion.cycle().get(0).scope()).startsWith("thread ");
        assertThatThrownBy(learned::assertNoInversions)
                .isInstanceOf(AssertionError.class)
                .hasMessageContainingAll("stripsEquipment", "equipsCharacter");
        Awaitility.await().until(() -> reported.size() == 1);
        assertThat(reported.get(0).inversion()).isEqualTo(inversion);
    }

    @Test
    void cycleOverThreeTypesAndThreeThreadsIsFound() throws InterruptedException {
        for (List<String> pair : List.of(List.of("a:1", "b:1"), List.of("b:2", "c:2"), List.of("c:3", "a:3"))) {
            Thread thread = new Thread(() -> nest(pair));
            thread.start();
            thread.join();
        }
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
        assertThat(locks.learnedOrder().inversions().get(0).cycle())
                .extracting(LearnedOrder.Step::wanted)
                .containsExactly("a", "b", "c");
    }

    @Test
    void withinOneTypeTheOrderOfKeysCounts() {
        nest("account:9", "account:10");
        nest("account:10", "account:11");
        assertThat(locks.learnedOrder().inversions())
                .as("nesting by number instead of by name is also an order")
                .isEmpty();
        nest("account:11", "account:9");
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
        assertThat(locks.learnedOrder().inversions().get(0).cycle()).hasSize(3);
    }

    @Test
    void tryThatDoesNotWaitIsNotLearned() {
        equipsCharacter();
        locks.run(LockKey.of("equipment:8"), lease -> locks.tryRun(LockKey.of("character:1"), inner -> {}));
        assertThat(locks.learnedOrder().inversions()).isEmpty();
    }

    @Test
    void orderOfTypesIsLearnedFromSets() {
        locks.run(LockKey.of("z:1"), lease -> {
            try (LeaseSet both =
                    locks.with(List.of(LockKey.of("x:1"), LockKey.of("y:1"))).acquire()) {
                assertThat(both.isHeld()).isTrue();
            }
        });
        nest("y:2", "z:2");
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
    }

    @Test
    void manyKeysOfOneTypeDoNotHideAnotherTypeOfTheSet() {
        List<LockKey> set = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            set.add(LockKey.of("item", Integer.toString(i)));
        }
        set.add(LockKey.of("stock", "1"));
        locks.run(LockKey.of("cart", "1"), cart -> locks.with(set).run(all -> {}));
        locks.run(LockKey.of("stock", "2"), stock -> locks.run(LockKey.of("cart", "2"), cart -> {}));
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
    }

    @Test
    void knownTypesDoNotHideNewPairsOfKeys() {
        nest("order:1", "account:1", "account:2");
        nest("order:1", "account:1", "account:2");
        assertThat(locks.learnedOrder().inversions()).isEmpty();
        nest("order:1", "account:2", "account:1");
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
    }

    @Test
    void newOuterTypeIsFoundBesideKnownOnes() {
        nest("a:1", "b:1", "c:1");
        nest("a:1", "b:1", "c:1");
        nest("a:1", "x:1", "c:1");
        assertThat(locks.learnedOrder().steps())
                .extracting(step -> step.held() + " " + step.wanted())
                .containsExactlyInAnyOrder("a b", "b c", "a c", "a x", "x c");
        nest("c:1", "x:1");
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
    }

    @Test
    void inversionsAreFoundAmongMoreTypesThanFitIntoOneWord() {
        for (int i = 0; i < 99; i++) {
            nest("type-" + i + ":1", "type-" + (i + 1) + ":1");
            nest("type-" + i + ":1", "type-" + (i + 1) + ":1");
        }
        assertThat(locks.learnedOrder().steps()).hasSize(99);
        assertThat(locks.learnedOrder().inversions()).isEmpty();
        nest("type-99:1", "type-98:1");
        nest("type-1:1", "type-0:1");
        nest("type-90:1", "type-10:1");
        assertThat(locks.learnedOrder().inversions()).hasSize(3);
    }

    @Test
    void refusedWaitIsReportedSinceItShowsTheOtherCode() {
        try (Interlock strict = Interlock.over(InMemoryBackend.create())) {
            Locks ordered = strict.locks();
            ordered.run(LockKey.of("a:1"), outer -> ordered.run(LockKey.of("b:1"), inner -> {}));
            assertThatThrownBy(
                            () -> ordered.run(LockKey.of("b:2"), outer -> ordered.run(LockKey.of("a:2"), inner -> {})))
                    .isInstanceOf(LockOrderException.class);
            assertThat(ordered.learnedOrder().inversions()).hasSize(1);
        }
    }

    @Test
    void graphIsPrintedAsTextAndForDot() {
        nest("sku \"a\":1", "seat:1");
        nest("seat:1", "sku \"a\":1");
        assertThat(locks.learnedOrder().toString())
                .contains("sku \"a\" -> seat", "Locks are acquired in different orders");
        assertThat(locks.learnedOrder().toDot())
                .startsWith("digraph order {")
                .contains("\"sku \\\"a\\\"\" -> \"seat\" [color=red];");
    }

    /** The memory is bounded. Later pairs are still compared with the remembered ones. */
    @Test
    void pairsOfKeysAreRememberedUpToALimit() {
        nest("account:first", "account:second");
        for (int i = 0; i < 5000; i++) {
            nest("account:a" + i, "account:b" + i);
        }
        assertThat(locks.learnedOrder().steps()).hasSizeLessThan(4200);
        nest("account:second", "account:first");
        nest("account:second", "account:first");
        assertThat(locks.learnedOrder().inversions()).hasSize(1);
    }
}
