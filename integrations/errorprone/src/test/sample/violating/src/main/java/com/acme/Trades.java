package com.acme;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import jakarta.transaction.Transactional;

/** The same class with one mistake per check. */
class Trades {
    private final Locks locks;

    Trades(Locks locks) {
        this.locks = locks;
    }

    void give(String from, String item) {
        try (Lease lease = locks.acquire(LockKey.of(LockTypes.ITEM, item))) {
            move(from);
        }
    }

    private void move(String from) {
        locks.run(LockKey.of(LockTypes.CHARACTER, from), lease -> {});
    }

    void count(String item) {
        Lease lease = locks.acquire(LockKey.of(LockTypes.ITEM, item));
        lease.ensureHeld();
    }

    void sweep() {
        locks.tryRun(LockKey.of("sweeper"), lease -> {});
    }

    @Transactional
    void deposit(String account) {
        locks.run(LockKey.of(LockTypes.BANK_ACCOUNT, account), lease -> {});
    }
}
