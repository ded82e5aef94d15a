package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseLostException;
import dev.interlock.lock.LockKey;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.concurrent.CountDownLatch;

/** An operator releases a lock by force. Its holder is notified, and stops. */
public final class LossOfALock {
    private LossOfALock() {}

    public static void main(String[] args) throws InterruptedException {
        LockKey key = LockKey.of("import", "customers");
        CountDownLatch notified = new CountDownLatch(1);

        try (Interlock interlock = Interlock.over(InMemoryBackend.create());
                Lease lease = interlock
                        .locks()
                        .with(key)
                        .renewEvery(Duration.ofMillis(100))
                        .acquire()) {
            lease.onLost(reason -> {
                System.out.println("Notified: " + reason.sentence());
                notified.countDown();
            });
            interlock.operator().forceRelease(key);
            notified.await();
            try {
                lease.ensureHeld(); // call this before each step that needs the lock
            } catch (LeaseLostException e) {
                System.out.println("Stopped: " + e.getMessage());
            }
        }
    }
}
