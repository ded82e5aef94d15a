package dev.interlock.jdbc.tx;

import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import java.util.Objects;

/** Which leases may do what at a fence, decided before anything is sent. */
final class Fences {
    private Fences() {}

    static void requireExclusive(Lease lease, String what) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        if (lease.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("A " + lease.mode() + " lease on \"" + lease.key() + "\" cannot " + what
                    + ": only an exclusive one can, use check for a shared one");
        }
    }

    /** Tokens of different locks cannot be compared: the wrong one might be larger, and would protect nothing. */
    static void requireKey(Lease lease, LockKey key) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        Objects.requireNonNull(key, "key is null: give the lock that protects the data");
        if (!lease.key().equals(key)) {
            throw new IllegalArgumentException("The data is protected by \"" + key + "\", and this lease is on \""
                    + lease.key() + "\": acquire the right one");
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
