package dev.interlock.internal.runtime;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockTimeoutException;
import dev.interlock.memory.InMemoryBackend;
import dev.interlock.spi.Environment;
import dev.interlock.support.ManualEnvironment;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(30)
class ParkingTest {
    @Test
    void threadUnparkedBeforeItParksDoesNotPark() {
        Parking real = Parking.of(new ManualEnvironment());
        real.unpark(Thread.currentThread());
        real.park(this);
        real.unpark(null);
        assertThat(Thread.currentThread().isInterrupted()).isFalse();
    }

    /** The only thread waits, and its wait advances the clock. */
    @Test
    void environmentThatParksIsCalledForEachWaitOfACaller() {
        ManualEnvironment clock = new ManualEnvironment();
        AtomicInteger parked = new AtomicInteger();
        Environment parking = parkingBy(clock, () -> {
            parked.incrementAndGet();
            clock.advance(Duration.ofMillis(100));
        });
        LockKey key = LockKey.of("stock", "sku-1");
        InMemoryBackend backend = InMemoryBackend.create(clock::worldNanos, 1);
        try (Interlock one = Interlock.builder(backend).environment(clock).build();
                Interlock two = Interlock.builder(backend).environment(parking).build();
                Lease held = one.locks().acquire(key)) {
            assertThatThrownBy(() -> two.locks().acquire(key)).isInstanceOf(LockTimeoutException.class);
            assertThat(held.isHeld()).isTrue();
            assertThat(parked).as("5 s in steps of 100 ms").hasValue(50);
        }
    }

    private static Environment parkingBy(ManualEnvironment clock, Runnable park) {
        return (Environment) Proxy.newProxyInstance(
                ParkingTest.class.getClassLoader(),
                new Class<?>[] {Environment.class, Parking.class},
                (proxy, method, arguments) -> {
                    if (method.getDeclaringClass() == Parking.class) {
                        if (method.getName().equals("park")) {
                            park.run();
                        }
                        return null;
                    }
                    return method.invoke(clock, arguments);
                });
    }
}
