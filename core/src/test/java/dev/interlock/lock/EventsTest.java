package dev.interlock.lock;

import static dev.interlock.support.TwoProcesses.failure;
import static dev.interlock.support.TwoProcesses.result;
import static java.time.Duration.ZERO;
import static java.time.Duration.ofMillis;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.LockEvent.Refusal;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.StoreException;
import dev.interlock.support.Blocked;
import dev.interlock.support.TwoProcesses;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The events that listeners receive. A listener cannot break a lock. */
class EventsTest {
    private static final LockKey KEY = LockKey.of("order", "7");
    private static final List<LockKey> KEYS = List.of(KEY);

    private final List<LockEvent> events = new CopyOnWriteArrayList<>();
    private final TwoProcesses world = TwoProcesses.with(options -> options.listener(event -> {
                throw new IllegalStateException("a listener that fails");
            })
            .listener(events::add));
    private final Locks locks = world.locks();

    @AfterEach
    void close() {
        world.close();
    }

    private <E extends LockEvent> E only(Class<E> kind) {
        assertThat(events).filteredOn(kind::isInstance).hasSize(1);
        return kind.cast(events.stream().filter(kind::isInstance).findFirst().orElseThrow());
    }

    private Refusal refusal() {
        return only(LockEvent.Refused.class).why();
    }

    @Nested
    class DuringTheLifeOfALease {
        @Test
        void attemptGrantAndReleaseArriveInOrder() {
            Lease lease = locks.acquire(KEY);
            world.advance(1_200);
            lease.close();

            assertThat(events)
                    .containsExactly(
                            new LockEvent.Attempted(KEYS, "order", LockMode.EXCLUSIVE),
                            new LockEvent.Granted(KEYS, "order", LockMode.EXCLUSIVE, ZERO, false),
                            new LockEvent.Released(KEYS, "order", ReleaseResult.RELEASED, ofMillis(1_200)));
        }

        @Test
        void grantSaysHowLongTheWaitWasAndWhetherTheLockWasPassedLocally() {
            Lease first = locks.acquire(KEY);
            PendingLease<Lease> next = locks.acquireAsync(KEY);
            world.advance(3);
            events.clear();

            first.close();

            LockEvent.Granted granted = only(LockEvent.Granted.class);
            assertThat(granted.waited()).isEqualTo(ofMillis(3));
            assertThat(granted.passedLocally()).isTrue();
            assertThat(result(next).isHeld()).isTrue();
        }

        @Test
        void renewalIsReported() {
            locks.acquire(KEY);
            world.advance(11_000);

            assertThat(only(LockEvent.Renewed.class).remaining()).isGreaterThan(ofSeconds(29));
        }

        @Test
        void lossIsReportedWithReasonAndHoldTime() {
            locks.with(KEY).renew(false).leaseFor(ofSeconds(10)).acquire();
            world.advance(11_000);

            LockEvent.Lost lost = only(LockEvent.Lost.class);
            assertThat(lost.reason()).isEqualTo(LossReason.EXPIRED);
            assertThat(lost.heldFor()).isBetween(ofMillis(9_800), ofSeconds(10));
            assertThat(lost.keys()).isEqualTo(KEYS);
        }
    }

    @Nested
    class WhenARequestIsRefused {
        @Test
        void busy() {
            world.others().acquire(KEY);
            assertThat(locks.tryAcquire(KEY)).isEmpty();

            assertThat(refusal()).isEqualTo(Refusal.BUSY);
        }

        @Test
        void storeUnavailable() {
            world.wire.down(() -> StoreException.notSent("down", null));
            assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(StoreUnavailableException.class);

            assertThat(refusal()).isEqualTo(Refusal.STORE_UNAVAILABLE);
        }

        @Test
        void refusedByTheStore() {
            world.wire.down(() -> StoreException.refused("no"));
            assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockRefusedException.class);

            assertThat(refusal()).isEqualTo(Refusal.REFUSED);
        }

        @Test
        void cancelledAfterSomeTime() {
            world.others().acquire(KEY);
            PendingLease<Lease> asked = locks.acquireAsync(KEY);
            world.advance(700);
            asked.cancel();

            assertThat(refusal()).isEqualTo(Refusal.CANCELLED);
            assertThat(only(LockEvent.Refused.class).waited()).isEqualTo(ofMillis(700));
        }

        @Test
        void interrupted() {
            world.others().acquire(KEY);
            Blocked<Lease> waiting = Blocked.in(() -> locks.acquire(KEY));
            waiting.thread().interrupt();
            assertThat(waiting.failure()).isInstanceOf(LockInterruptedException.class);

            assertThat(refusal()).isEqualTo(Refusal.INTERRUPTED);
        }

        @Test
        void closed() {
            world.others().acquire(KEY);
            PendingLease<Lease> asked = locks.acquireAsync(KEY);
            world.ours.shutdown(ZERO);

            assertThat(failure(asked)).isInstanceOf(InterlockClosedException.class);
            assertThat(refusal()).isEqualTo(Refusal.CLOSED);
        }

        @Test
        void orderViolationNamesWhatIsHeldAndByWhichScope() {
            locks.acquire(LockKey.of("zebra"));
            assertThatThrownBy(() -> locks.acquire(KEY)).isInstanceOf(LockOrderException.class);

            LockEvent.OrderViolated violated = only(LockEvent.OrderViolated.class);
            assertThat(violated.held()).isEqualTo(LockKey.of("zebra"));
            assertThat(violated.scope()).contains(Thread.currentThread().getName());
            assertThat(violated.refused()).isTrue();
            assertThat(refusal()).isEqualTo(Refusal.ORDER);
        }
    }

    @Nested
    class ForListeners {
        @Test
        void typeIsTheDeclaredOneAndNeverTheKey() {
            world.close();
            events.clear();
            TwoProcesses typed = TwoProcesses.with(options ->
                    options.order(LockOrder.of("payment:order", "payment")).listener(events::add));
            typed.locks().acquire(LockKey.of("payment:order", "9"));
            typed.locks().acquire(LockKey.of("plain"));
            typed.close();

            assertThat(events)
                    .filteredOn(LockEvent.Granted.class::isInstance)
                    .extracting(LockEvent::type)
                    .containsExactly("payment:order", "plain");
        }

        @Test
        void slowListenerLosesEventsAndDelaysNothing() {
            CountDownLatch blocked = new CountDownLatch(1);
            AtomicInteger count = new AtomicInteger();
            try (Interlock interlock = Interlock.builder(InMemoryBackend.create())
                    .listener(event -> {
                        count.incrementAndGet();
                        try {
                            blocked.await();
                        } catch (InterruptedException e) {
                            throw new IllegalStateException(e);
                        }
                    })
                    .build()) {
                for (int i = 0; i < 6_000; i++) {
                    interlock.locks().acquire(KEY).close();
                }
                assertThat(count.get()).isEqualTo(1);
                blocked.countDown();
                await().until(() -> count.get() >= 10_000);
                assertThat(count.get()).isLessThan(10_100);
            }
        }

        @Test
        void listenersRunOnAThreadOfTheirOwn() {
            List<String> threads = new CopyOnWriteArrayList<>();
            try (Interlock interlock = Interlock.builder(InMemoryBackend.create())
                    .listener(event -> threads.add(Thread.currentThread().getName()))
                    .build()) {
                interlock.locks().acquire(KEY).close();
                await().until(() -> threads.size() == 3);
            }
            assertThat(threads).allMatch(name -> Objects.equals(name, "interlock-events"));
        }
    }
}
