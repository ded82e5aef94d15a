package dev.interlock.testkit;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.spi.Environment;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

class FakeClockTest {
    private final FakeClock clock = new FakeClock();

    private long elapsedMillis(long sinceNanos) {
        return TimeUnit.NANOSECONDS.toMillis(clock.nanos() - sinceNanos);
    }

    @Test
    void timeMovesOnlyByAdvance() {
        long start = clock.nanos();
        Instant wall = clock.wall();
        assertThat(clock.nanos()).isEqualTo(start);
        clock.advance(Duration.ofSeconds(3));
        assertThat(elapsedMillis(start)).isEqualTo(3000);
        assertThat(clock.wall()).isEqualTo(wall.plusSeconds(3));
    }

    @Test
    void timeNeverGoesBack() {
        assertThatThrownBy(() -> clock.advance(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> clock.suspend(Duration.ofNanos(-1))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void sameSeedGivesTheSameNumbers() {
        assertThat(new FakeClock(7).random().longs(5).toArray())
                .isEqualTo(new FakeClock(7).random().longs(5).toArray())
                .isNotEqualTo(new FakeClock(8).random().longs(5).toArray());
    }

    @Nested
    class Suspension {
        @Test
        void isVisibleToTheWorldAtOnceAndToTheHostWhenNoticed() {
            long start = clock.nanos();
            clock.suspend(Duration.ofMillis(500));
            assertThat(elapsedMillis(start)).isZero();
            assertThat(clock.worldNanos() - start).isEqualTo(500_000_000L);
            assertThat(clock.noticeSuspend()).isEqualTo(500_000_000L);
            assertThat(elapsedMillis(start)).isEqualTo(500);
            assertThat(clock.worldNanos()).isEqualTo(clock.nanos());
        }

        @Test
        void addsUp() {
            clock.suspend(Duration.ofMillis(1));
            clock.noticeSuspend();
            clock.suspend(Duration.ofMillis(2));
            clock.suspend(Duration.ofMillis(3));
            assertThat(clock.noticeSuspend()).isEqualTo(6_000_000L);
            assertThat(clock.noticeSuspend()).isEqualTo(6_000_000L);
        }

        @Test
        void thatIsNoticedDuringAnAdvanceIsAddedToIt() {
            long start = clock.nanos();
            Schedule schedule = new Schedule();
            schedule.at(start, 10, clock::noticeSuspend);
            schedule.at(start, 105, () -> {});
            clock.drive(schedule);
            clock.suspend(Duration.ofMillis(100));
            clock.advance(Duration.ofMillis(20));
            assertThat(elapsedMillis(start)).isEqualTo(120);
            assertThat(schedule.rungAt).containsExactly(10L, 110L);
        }
    }

    @Nested
    class Alarms {
        @Test
        void ringAtTheirMomentsInOrder() {
            long start = clock.nanos();
            Schedule schedule = new Schedule();
            for (int millis : new int[] {30, 10, 20, 70}) {
                schedule.at(start, millis, () -> {});
            }
            clock.drive(schedule);
            clock.advance(Duration.ofMillis(50));
            assertThat(schedule.rungAt).containsExactly(10L, 20L, 30L);
            assertThat(elapsedMillis(start)).isEqualTo(50);
            clock.advance(Duration.ofMillis(20));
            assertThat(schedule.rungAt).containsExactly(10L, 20L, 30L, 70L);
        }

        @Test
        void ofSeveralProcessesRingInterleaved() {
            long start = clock.nanos();
            List<String> rung = new ArrayList<>();
            Schedule one = new Schedule();
            Schedule other = new Schedule();
            clock.drive(one);
            clock.drive(other);
            one.at(start, 10, () -> rung.add("one"));
            other.at(start, 20, () -> rung.add("other"));
            one.at(start, 30, () -> rung.add("one"));
            clock.advance(Duration.ofMillis(40));
            assertThat(rung).containsExactly("one", "other", "one");
        }

        @Test
        void mayRequestAnEarlierMomentAtAnyTime() {
            long start = clock.nanos();
            Schedule schedule = new Schedule();
            schedule.at(start, 100, () -> {});
            clock.drive(schedule);
            clock.advance(Duration.ofMillis(1));
            schedule.at(start, 5, () -> schedule.at(start, 7, () -> {}));
            clock.advance(Duration.ofMillis(50));
            assertThat(schedule.rungAt).containsExactly(5L, 7L);
        }

        @Test
        void ringOneMomentPerStepAndNoneAfterTheLimit() {
            long start = clock.nanos();
            Schedule schedule = new Schedule();
            schedule.at(start, 10, () -> {});
            schedule.at(start, 20, () -> {});
            clock.drive(schedule);
            assertThat(clock.step(start)).as("the alarm is queried").isTrue();
            assertThat(clock.step(start + 9_999_999)).isFalse();
            assertThat(elapsedMillis(start)).isZero();
            assertThat(clock.step(start + 10_000_000)).isTrue();
            assertThat(schedule.rungAt).containsExactly(10L);
            assertThat(clock.step(Long.MAX_VALUE)).isTrue();
            assertThat(elapsedMillis(start)).isEqualTo(20);
            assertThat(clock.step(Long.MAX_VALUE)).as("nothing is left").isFalse();
        }

        @Test
        void thatAreDueWhenQueriedTakeAStepOfTheirOwn() {
            long start = clock.nanos();
            Schedule schedule = new Schedule();
            clock.drive(schedule);
            clock.advance(Duration.ofMillis(5));
            schedule.at(start, 3, () -> {});
            schedule.at(start, 50, () -> {});
            assertThat(clock.step(Long.MAX_VALUE)).isTrue();
            assertThat(schedule.rungAt).containsExactly(5L);
            assertThat(elapsedMillis(start)).isEqualTo(5);
        }

        @Test
        void areFollowedByTheActionAfterEachStep() {
            long start = clock.nanos();
            List<String> done = new ArrayList<>();
            Schedule schedule = new Schedule();
            schedule.at(start, 10, () -> done.add("alarm " + clock.isStepping()));
            clock.drive(schedule);
            clock.afterEachStep(() -> done.add("after " + clock.isStepping() + " at " + elapsedMillis(start)));
            clock.advance(Duration.ofMillis(15));
            assertThat(done).containsExactly("after false at 0", "after false at 0", "alarm true", "after false at 10");
        }

        @Test
        void thatAreDueNowRingWithoutTimeMoving() {
            Schedule schedule = new Schedule();
            clock.drive(schedule);
            schedule.at(clock.nanos(), 0, () -> {});
            clock.advance(Duration.ZERO);
            assertThat(schedule.rungAt).containsExactly(0L);
        }

        @Test
        void thatKeepTimeFromMovingAreReported() {
            clock.drive(new Environment.Alarm() {
                @Override
                public long ring(long nowNanos) {
                    return nowNanos;
                }

                @Override
                public void onEarlier(Runnable wakeUp) {}
            });
            assertThatThrownBy(() -> clock.advance(Duration.ofMillis(1))).isInstanceOf(IllegalStateException.class);
        }

        @Test
        void wakeWaitingThreads() throws InterruptedException {
            CountDownLatch woken = new CountDownLatch(1);
            Schedule schedule = new Schedule();
            clock.drive(schedule);
            Thread waiting = new Thread(() -> {
                schedule.at(clock.nanos(), 40, woken::countDown);
            });
            waiting.start();
            waiting.join();
            clock.advance(Duration.ofMillis(39));
            assertThat(woken.getCount()).isEqualTo(1);
            clock.advance(Duration.ofMillis(1));
            assertThat(woken.await(0, TimeUnit.SECONDS)).isTrue();
        }
    }

    @Nested
    class Tasks {
        @Test
        void runOnTheThreadThatSubmitsThem() {
            for (Executor executor : List.of(clock.serial("s"), clock.pool("p", 3))) {
                List<Thread> ran = new ArrayList<>();
                executor.execute(() -> ran.add(Thread.currentThread()));
                assertThat(ran).containsExactly(Thread.currentThread());
            }
        }

        @Test
        void neverRunInsideEachOther() {
            for (Executor executor : List.of(clock.serial("s"), clock.pool("p", 3))) {
                List<String> order = new ArrayList<>();
                executor.execute(() -> {
                    executor.execute(() -> order.add("inner"));
                    order.add("outer");
                });
                assertThat(order).containsExactly("outer", "inner");
            }
        }

        @Test
        void thatThrowDoNotAffectOtherTasks() {
            Thread.UncaughtExceptionHandler before = Thread.currentThread().getUncaughtExceptionHandler();
            List<Throwable> reported = new ArrayList<>();
            Thread.currentThread().setUncaughtExceptionHandler((thread, thrown) -> reported.add(thrown));
            try {
                for (Executor executor : List.of(clock.serial("s"), clock.pool("p", 3))) {
                    List<String> order = new ArrayList<>();
                    executor.execute(() -> {
                        executor.execute(() -> order.add("next"));
                        throw new IllegalStateException("on purpose");
                    });
                    executor.execute(() -> order.add("later"));
                    assertThat(order).containsExactly("next", "later");
                }
            } finally {
                Thread.currentThread().setUncaughtExceptionHandler(before);
            }
            assertThat(reported).hasSize(2);
        }

        @Test
        void ofASerialExecutorNeverRunAtTheSameTime() throws InterruptedException {
            Executor serial = clock.serial("s");
            int[] unguarded = {0};
            AtomicInteger inside = new AtomicInteger();
            AtomicInteger violations = new AtomicInteger();
            List<Thread> threads = new ArrayList<>();
            for (int i = 0; i < 4; i++) {
                Thread thread = new Thread(() -> {
                    for (int n = 0; n < 5000; n++) {
                        serial.execute(() -> {
                            violations.addAndGet(inside.getAndIncrement());
                            unguarded[0]++;
                            inside.decrementAndGet();
                        });
                    }
                });
                threads.add(thread);
                thread.start();
            }
            for (Thread thread : threads) {
                thread.join();
            }
            assertThat(unguarded[0]).isEqualTo(20_000);
            assertThat(violations).hasValue(0);
        }
    }

    /** An alarm with scheduled tasks, like that of an engine. Times are in milliseconds after a start. */
    private static final class Schedule implements Environment.Alarm {
        private record Entry(long startNanos, Runnable task) {}

        private final TreeMap<Long, Entry> entries = new TreeMap<>();
        private final List<Long> rungAt = new ArrayList<>();
        private Runnable wakeUp = () -> {};

        void at(long startNanos, long millis, Runnable task) {
            entries.put(startNanos + TimeUnit.MILLISECONDS.toNanos(millis), new Entry(startNanos, task));
            wakeUp.run();
        }

        @Override
        public long ring(long nowNanos) {
            while (!entries.isEmpty() && entries.firstKey() <= nowNanos) {
                Entry due = entries.pollFirstEntry().getValue();
                rungAt.add(TimeUnit.NANOSECONDS.toMillis(nowNanos - due.startNanos()));
                due.task().run();
            }
            return entries.isEmpty() ? Long.MAX_VALUE : entries.firstKey();
        }

        @Override
        public void onEarlier(Runnable runnable) {
            wakeUp = runnable;
        }
    }
}
