package dev.interlock.internal.runtime;

import static dev.interlock.support.TwoProcesses.isGranted;
import static dev.interlock.support.TwoProcesses.isPending;
import static java.time.Duration.ofMinutes;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.PendingLease;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Environment;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The system clocks and threads. */
class SystemEnvironmentTest {
    private final SystemEnvironment environment = new SystemEnvironment();

    @AfterEach
    void close() {
        environment.close();
    }

    @Nested
    class Threads {
        @Test
        void areDaemonsWithNames() throws InterruptedException {
            AtomicReference<Thread> ran = new AtomicReference<>();
            CountDownLatch done = new CountDownLatch(1);
            environment.serial("interlock-x").execute(() -> {
                ran.set(Thread.currentThread());
                done.countDown();
            });

            assertThat(done.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(ran.get().getName()).isEqualTo("interlock-x");
            assertThat(ran.get().isDaemon()).isTrue();
        }

        @Test
        void serialExecutorKeepsTheOrder() throws InterruptedException {
            Executor serial = environment.serial("interlock-x");
            List<Integer> seen = new ArrayList<>();
            CountDownLatch done = new CountDownLatch(1_000);
            for (int i = 0; i < 1_000; i++) {
                int number = i;
                serial.execute(() -> {
                    seen.add(number);
                    done.countDown();
                });
            }

            assertThat(done.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(seen).isSorted().hasSize(1_000);
        }

        @Test
        void afterCloseATaskRunsOnTheSubmittingThread() {
            Executor serial = environment.serial("interlock-x");
            environment.close();
            AtomicReference<Thread> ran = new AtomicReference<>();

            serial.execute(() -> ran.set(Thread.currentThread()));

            assertThat(ran.get()).isSameAs(Thread.currentThread());
        }

        @Test
        void alarmRingsWhenItIsDueAndWhenAnEarlierMomentIsSet() throws InterruptedException {
            CountDownLatch rang = new CountDownLatch(2);
            Timetable table = new Timetable(() -> {});
            environment.drive(table);
            table.set(entry(rang), environment.nanos() + ofMinutes(5).toNanos());
            table.set(entry(rang), environment.nanos() + 1_000_000);
            table.set(entry(rang), environment.nanos());

            assertThat(rang.await(5, TimeUnit.SECONDS)).isTrue();
            assertThat(table.entries()).hasSize(1);
        }

        @Test
        void entryThatThrowsDoesNotEndTheAlarm() throws InterruptedException {
            CountDownLatch rang = new CountDownLatch(1);
            Timetable table = new Timetable(() -> {});
            environment.drive(table);
            table.set(
                    new Timetable.Entry() {
                        @Override
                        protected void ring(long nowNanos) {
                            throw new IllegalStateException("a bug");
                        }
                    },
                    environment.nanos());
            table.set(entry(rang), environment.nanos() + 2_000_000);

            assertThat(rang.await(5, TimeUnit.SECONDS)).isTrue();
        }

        private Timetable.Entry entry(CountDownLatch rang) {
            return new Timetable.Entry() {
                @Override
                protected void ring(long nowNanos) {
                    rang.countDown();
                }
            };
        }

        @Test
        void thousandsOfLocksAndWaitersNeedNoFurtherThreads() {
            InMemoryBackend backend = InMemoryBackend.create();
            try (Interlock holder = Interlock.over(backend);
                    Interlock waiter = Interlock.over(backend)) {
                List<PendingLease<Lease>> held = new ArrayList<>();
                List<PendingLease<Lease>> waiting = new ArrayList<>();
                for (int i = 0; i < 5_000; i++) {
                    held.add(holder.locks()
                            .with(LockKey.of("n", "" + i))
                            .leaseFor(ofSeconds(10))
                            .renewEvery(ofSeconds(1))
                            .acquireAsync());
                }
                for (int i = 0; i < 5_000; i++) {
                    waiting.add(waiter.locks()
                            .with(LockKey.of("n", "" + i / 2))
                            .waitAtMost(ofMinutes(1))
                            .acquireAsync());
                }

                assertThat(held).allMatch(lease -> isGranted(lease));
                assertThat(waiting).allMatch(lease -> isPending(lease));
                long own = Thread.getAllStackTraces().keySet().stream()
                        .filter(thread -> thread.getName().startsWith("interlock-"))
                        .count();
                // For each: deadlines, watchdog, callbacks, completions, events, and six for blocking drivers.
                assertThat(own).isLessThanOrEqualTo(2 * 11 + 1);
            }
        }

        @Test
        void closingEndsTheDeadlineThread() {
            Set<Thread> before = deadlineThreads();
            for (int i = 0; i < 300; i++) {
                try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
                    interlock.locks().acquire(LockKey.of("k"));
                }
            }

            await().atMost(ofSeconds(5)).until(() -> before.containsAll(deadlineThreads()));
        }

        private Set<Thread> deadlineThreads() {
            return Thread.getAllStackTraces().keySet().stream()
                    .filter(thread -> thread.getName().equals("interlock-deadlines"))
                    .collect(Collectors.toSet());
        }
    }

    @Nested
    class Clocks {
        @Test
        void timeNeverGoesBack() {
            long last = environment.nanos();
            for (int i = 0; i < 10_000; i++) {
                long now = environment.nanos();
                assertThat(now).isGreaterThanOrEqualTo(last);
                last = now;
                environment.noticeSuspend();
            }
        }

        @Test
        void hostThatWasNotSuspendedHasNoSuspendedTime() {
            Environment fresh = environment;

            assertThat(fresh.noticeSuspend()).isZero();
        }

        @Test
        void bootClockIsReadableAfterAReaderWasInterrupted() {
            try (BootClock boot = new BootClock()) {
                Thread.currentThread().interrupt();
                assertThat(boot.notice()).isZero();
                assertThat(Thread.interrupted()).isTrue();
                assertThat(boot.notice()).isZero();
            }
        }

        @Test
        void closedBootClockNoticesNothing() {
            BootClock boot = new BootClock();
            boot.close();
            boot.close();

            assertThat(boot.notice()).isZero();
            assertThat(boot.suspendedNanos()).isZero();
        }
    }
}
