package dev.interlock.testkit.workers;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.ReleaseResult;
import dev.interlock.lock.StoreUnavailableException;
import dev.interlock.testkit.process.Ports;
import java.time.Duration;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
@Tag("server")
class SocketBackendTest {
    private final LockKey key = LockKey.of("socket", "a");

    @Test
    void leaseSurvivesACutConnection() {
        try (StoreServer server = new StoreServer().start();
                SocketBackend backend = SocketBackend.connect(server.port(), "cut");
                Interlock interlock = Interlock.over(backend)) {
            Lease lease =
                    interlock.locks().with(key).leaseFor(Duration.ofSeconds(3)).acquire();
            for (int i = 0; i < 5; i++) {
                backend.cut();
                assertThat(lease.renew(Duration.ofSeconds(10 + i))).isGreaterThan(Duration.ofSeconds(8));
            }
            assertThat(lease.release()).isEqualTo(ReleaseResult.RELEASED);
        }
    }

    @Test
    void storeThatIsNotThereIsUnavailableAndNotBusy() {
        try (Interlock interlock = Interlock.over(SocketBackend.connect(Ports.free(), "absent"))) {
            long start = System.nanoTime();
            assertThatThrownBy(() -> interlock.locks().tryAcquire(key, Duration.ofSeconds(20)))
                    .isInstanceOf(StoreUnavailableException.class);
            assertThat(Duration.ofNanos(System.nanoTime() - start)).isLessThan(Duration.ofSeconds(5));
        }
    }

    @Test
    void frozenStoreIsUnavailableAndComesBack() {
        try (StoreServer server = new StoreServer().start();
                Interlock interlock = Interlock.builder(SocketBackend.connect(server.port(), "still"))
                        .answerWithin(Duration.ofMillis(200))
                        .build()) {
            interlock.locks().acquire(key).close();
            server.pause();
            assertThatThrownBy(() -> interlock.locks().tryAcquire(key, Duration.ofSeconds(1)))
                    .isInstanceOf(StoreUnavailableException.class);
            server.resume();
            interlock
                    .locks()
                    .with(key)
                    .waitAtMost(Duration.ofSeconds(30))
                    .acquire()
                    .close();
        }
    }

    @Test
    void storeThatWasKilledIsFoundAgainWhenItIsBack() {
        try (StoreServer server = new StoreServer().start();
                Interlock interlock = Interlock.over(SocketBackend.connect(server.port(), "again"))) {
            Lease before = interlock.locks().acquire(key);
            server.kill();
            server.start();
            Lease after = interlock.locks().with(LockKey.of("socket", "b")).acquire();
            assertThat(after.token()).isGreaterThan(before.token());
        }
    }
}
