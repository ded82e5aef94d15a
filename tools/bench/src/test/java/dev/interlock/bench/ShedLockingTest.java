package dev.interlock.bench;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;
import net.javacrumbs.shedlock.core.ExtensibleLockProvider;
import net.javacrumbs.shedlock.core.SimpleLock;
import org.junit.jupiter.api.Test;

class ShedLockingTest {
    private final AtomicInteger held = new AtomicInteger();

    @Test
    void heldLockIsReleased() {
        try (Locking locking = new ShedLocking(provider(), Duration.ofSeconds(30), () -> {})) {
            Runnable release = locking.hold("bench:held");
            assertThat(held).hasValue(1);

            release.run();
            assertThat(held).hasValue(0);
        }
    }

    /** The reason why the quick suites, which have short leases, leave it out. */
    @Test
    void shortLeasesCannotBeHeld() {
        try (Locking locking = new ShedLocking(provider(), Duration.ofSeconds(6), () -> {})) {
            assertThatThrownBy(() -> locking.hold("bench:held")).hasMessageContaining("shorter than PT30S");
        }
    }

    private ExtensibleLockProvider provider() {
        return configuration -> {
            held.incrementAndGet();
            SimpleLock lock = held::decrementAndGet;
            return Optional.of(lock);
        };
    }
}
