package dev.interlock.lock;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.support.ScriptedBackend;
import dev.interlock.support.ScriptedBackend.Op;
import dev.interlock.support.TwoProcesses;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The lock order belongs to the namespace. {@link OrderPolicy} decides what happens to a wait that violates it. */
class NamespaceOrderTest {
    private final InMemoryBackend backend = InMemoryBackend.create();
    private final List<Interlock> opened = new ArrayList<>();

    @AfterEach
    void close() {
        opened.forEach(Interlock::close);
    }

    private Interlock open(String first, String... more) {
        Interlock interlock =
                Interlock.builder(backend).order(LockOrder.of(first, more)).build();
        opened.add(interlock);
        return interlock;
    }

    @Nested
    class WhenAProcessJoins {
        @Test
        void sameOrderIsAccepted() {
            open("a", "b", "c");

            assertThat(open("a", "b", "c").locks().acquire(LockKey.of("a")).isHeld())
                    .isTrue();
        }

        @Test
        void swappedTypesAreRefused() {
            open("a", "b");

            assertThatThrownBy(() -> open("b", "a"))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("\"b\" comes before \"a\"")
                    .hasMessageContaining("Use the same order everywhere");
        }

        @Test
        void addedTypesAreAccepted() {
            open("a", "c");
            open("a", "b", "c");
            open("z", "a", "b", "c", "d");

            assertThatThrownBy(() -> open("d", "z")).isInstanceOf(LockRefusedException.class);
        }

        @Test
        void differentTypesAreAccepted() {
            open("a", "b");
            open("x", "y");
            assertThat(open("a").locks()).isNotNull();
        }

        @Test
        void cycleThroughAThirdOrderIsRefused() {
            open("a", "b");
            open("b", "c");

            assertThatThrownBy(() -> open("c", "a")).isInstanceOf(LockRefusedException.class);
            open("a", "c");
        }

        @Test
        void refusedProcessChangesNothing() {
            open("a", "b");
            assertThatThrownBy(() -> open("b", "a", "x")).isInstanceOf(LockRefusedException.class);

            open("x", "b");
        }

        @Test
        void unknownProtocolVersionIsRefused() {
            ScriptedBackend newer = new ScriptedBackend(backend);
            newer.next(Op.AGREE, call -> CompletableFuture.completedFuture("interlock 3"));

            assertThatThrownBy(() -> Interlock.over(newer))
                    .isInstanceOf(LockRefusedException.class)
                    .hasMessageContaining("interlock 2")
                    .hasMessageContaining("Upgrade the older side");
            assertThat(newer.isClosed()).isTrue();
        }

        @Test
        void ranksMayBeNegativeAndFarApart() {
            LockOrder order = LockOrder.of(List.of(
                    LockType.ranked("last", Integer.MAX_VALUE),
                    LockType.ranked("first", Integer.MIN_VALUE),
                    LockType.ranked("middle", 0)));
            opened.add(Interlock.builder(backend).order(order).build());

            open("first", "middle", "last");
            assertThatThrownBy(() -> open("last", "first")).isInstanceOf(LockRefusedException.class);
        }
    }

    @Nested
    class WhenAWaitViolatesTheOrder {
        private TwoProcesses world(OrderPolicy policy, List<LockEvent> events) {
            return TwoProcesses.with(options -> options.order(LockOrder.of("first", "second"))
                    .orderPolicy(policy)
                    .listener(event -> {
                        if (event instanceof LockEvent.OrderViolated) {
                            events.add(event);
                        }
                    }));
        }

        private final List<LockEvent> events = new ArrayList<>();
        private final LockKey first = LockKey.of("first", "1");
        private final LockKey second = LockKey.of("second", "1");

        @Test
        void refusePolicyThrows() {
            try (TwoProcesses world = world(OrderPolicy.REFUSE, events)) {
                world.locks().acquire(second);
                assertThatThrownBy(() -> world.locks().acquire(first)).isInstanceOf(LockOrderException.class);
                assertThat(world.locks().tryAcquire(first)).isPresent();
                assertThat(events).hasSize(1);
            }
        }

        @Test
        void warnPolicyContinuesAndNotifiesListeners() {
            try (TwoProcesses world = world(OrderPolicy.WARN, events)) {
                world.locks().acquire(second);
                assertThat(world.locks().acquire(first).isHeld()).isTrue();
                assertThat(events)
                        .singleElement()
                        .isInstanceOfSatisfying(
                                LockEvent.OrderViolated.class,
                                violated -> assertThat(violated.refused()).isFalse());
            }
        }

        @Test
        void warnPolicyLogsEachPairOfTypesOnce() {
            Logged logged = new Logged();
            try (logged;
                    TwoProcesses world = world(OrderPolicy.WARN, events)) {
                for (String id : List.of("1", "2", "3")) {
                    try (Lease outer = world.locks().acquire(second);
                            Lease inner = world.locks().acquire(LockKey.of("first", id))) {
                        assertThat(outer.isHeld() && inner.isHeld()).isTrue();
                    }
                }
                try (Lease outer = world.locks().acquire(LockKey.of("another"));
                        Lease inner = world.locks().acquire(first)) {
                    assertThat(outer.isHeld() && inner.isHeld()).isTrue();
                }
            }
            assertThat(logged.messages())
                    .filteredOn(message -> message.contains("which comes later in the order"))
                    .hasSize(2)
                    .satisfiesExactly(
                            pair -> assertThat(pair).contains("first:1", "second:1"),
                            pair -> assertThat(pair).contains("first:1", "another"));
            assertThat(events).as("every violation reaches the listener").hasSize(4);
        }

        @Test
        void allowPolicyReportsNothing() {
            try (TwoProcesses world = world(OrderPolicy.ALLOW, events)) {
                world.locks().acquire(second);
                assertThat(world.locks().acquire(first).isHeld()).isTrue();
                assertThat(events).isEmpty();
            }
        }

        @Test
        void unrankedTypesComeAfterRankedOnes() {
            try (TwoProcesses world = world(OrderPolicy.REFUSE, events)) {
                world.locks().acquire(LockKey.of("another"));
                assertThatThrownBy(() -> world.locks().acquire(second)).isInstanceOf(LockOrderException.class);
            }
        }

        @Test
        void oneRequestForBothIsSortedByRank() {
            try (TwoProcesses world = world(OrderPolicy.REFUSE, events)) {
                LeaseSet set = world.locks()
                        .with(List.of(LockKey.of("a"), second, first))
                        .acquire();
                assertThat(set.keys()).containsExactly(first, second, LockKey.of("a"));
            }
        }

        @Test
        void settingsOfTheTypeApply() {
            LockOrder order = LockOrder.of(List.of(LockType.ranked("job", 1)
                    .with(LockSettings.inherit().leaseFor(ofSeconds(90)).waitAtMost(ofSeconds(1)))));
            try (TwoProcesses world = TwoProcesses.with(options -> options.order(order))) {
                assertThat(world.locks().acquire(LockKey.of("job", "1")).remaining())
                        .isGreaterThan(ofSeconds(89));
                assertThat(world.locks().acquire(LockKey.of("other")).remaining())
                        .isLessThan(ofSeconds(30));
            }
        }
    }
}
