package com.acme;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import jakarta.transaction.Transactional;

/** Acquires its locks in the declared order, closes them, checks results, and commits before it releases. */
class Trades {
    private final Locks locks;

    Trades(Locks locks) {
        this.locks = locks;
    }

    void give(String from, String item) {
        try (Lease character = locks.acquire(LockKey.of(LockTypes.CHARACTER, from))) {
            move(item);
        }
    }

    private void move(String item) {
        locks.run(LockKey.of(LockTypes.ITEM, item), lease -> {});
    }

    void count(String item) {
        try (Lease lease = locks.acquire(LockKey.of(LockTypes.ITEM, item))) {
            lease.ensureHeld();
        }
    }

    boolean sweep() {
        return locks.tryRun(LockKey.of("sweeper"), lease -> {});
    }

    void deposit(String account) {
        locks.run(LockKey.of(LockTypes.BANK_ACCOUNT, account), lease -> book());
    }

    @Transactional
    void book() {}
}
