package dev.interlock.transactions;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import java.util.Objects;

/** Checks, before any statement is sent, whether a lease can be used with a fence. */
final class FenceRules {
    private FenceRules() {}

    static void requireExclusive(Lease lease, String operation) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        if (lease.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("A " + lease.mode() + " lease on \"" + lease.key() + "\" cannot "
                    + operation + ": only an exclusive one can, use check for a shared one");
        }
    }

    /** Tokens of different locks cannot be compared: the token of the wrong lock may be higher and protects nothing. */
    static void requireKey(Lease lease, LockKey key) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        Objects.requireNonNull(key, "key is null: pass the lock that protects the data");
        if (!lease.key().equals(key)) {
            throw new IllegalArgumentException("The data is protected by \"" + key + "\", but this lease is on \""
                    + lease.key() + "\": acquire a lease on \"" + key + "\"");
        }
    }

    static void refusePermits(Lease lease) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        if (lease.mode() == LockMode.PERMITS) {
            throw new IllegalArgumentException("A lease of permits on \"" + lease.key()
                    + "\" cannot be checked: several hold at once, so their tokens have no order to enforce");
        }
    }
}
