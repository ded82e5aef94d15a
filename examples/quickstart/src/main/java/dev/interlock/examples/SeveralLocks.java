package dev.interlock.examples;

import dev.interlock.Interlock;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.memory.InMemoryBackend;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;

/** Two transfers in opposite directions. Listed in any order, both locks are taken in one order: no deadlock. */
public final class SeveralLocks {
    private static final int TRANSFERS = 200;

    private SeveralLocks() {}

    public static void main(String[] args) {
        LockKey alice = LockKey.of("account", "alice");
        LockKey bob = LockKey.of("account", "bob");
        AtomicInteger done = new AtomicInteger();

        try (Interlock interlock = Interlock.over(InMemoryBackend.create())) {
            CompletableFuture<Void> there =
                    CompletableFuture.runAsync(() -> transfer(interlock.locks(), List.of(alice, bob), done));
            CompletableFuture<Void> back =
                    CompletableFuture.runAsync(() -> transfer(interlock.locks(), List.of(bob, alice), done));
            CompletableFuture.allOf(there, back).join();
        }
        System.out.println(done + " transfers, no deadlock");
    }

    private static void transfer(Locks locks, List<LockKey> accounts, AtomicInteger done) {
        for (int i = 0; i < TRANSFERS; i++) {
            locks.with(accounts).waitAtMost(Duration.ofSeconds(10)).run(leases -> done.incrementAndGet());
        }
    }
}
