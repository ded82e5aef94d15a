package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.List;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class WaitingWorkloadTest {
    private final AtomicInteger calls = new AtomicInteger();
    private final ServerMeter meter = () -> new ServerMeter.Reading(calls.get(), calls.get(), Double.NaN);

    @Test
    void callsOfTheWaiterAreCounted() throws InterruptedException {
        Semaphore shared = new Semaphore(1);
        Contender polling = Contender.floor(
                "polling",
                () -> locking(section -> {
                    BenchPolling.until(() -> {
                        calls.incrementAndGet();
                        return shared.tryAcquire();
                    });
                    try {
                        section.run();
                    } finally {
                        shared.release();
                    }
                }));

        assertThat(turn(polling).get(Metric.CALLS_PER_SECOND)).isBetween(1.0, 1100.0);
        assertThat(shared.availablePermits()).isOne();
    }

    @Test
    void lockWithTwoHoldersIsReported() {
        Contender none = Contender.floor("none", () -> locking(Runnable::run));

        assertThatThrownBy(() -> turn(none))
                .isInstanceOf(BenchException.class)
                .hasMessageContaining("let a waiter in while the lock was held");
    }

    private Sample turn(Contender contender) throws InterruptedException {
        Contender metered = contender.metered(meter);
        try (BenchWorkload.ContenderRun bout = new WaitingWorkload("waiting", "", List.of(metered)).prepare(metered)) {
            return bout.turn(Duration.ofMillis(200));
        }
    }

    private static Locking locking(LockGuard guard) {
        return new Locking() {
            @Override
            public LockGuard guard(String name) {
                return guard;
            }

            @Override
            public LockGuard guardAll(List<String> names) {
                throw new UnsupportedOperationException();
            }

            @Override
            public Runnable hold(String name) {
                throw new UnsupportedOperationException();
            }

            @Override
            public void close() {}
        };
    }
}
