package dev.interlock.jdbc.tx;

import dev.interlock.lock.Lease;
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

    static void refusePermits(Lease lease) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        if (lease.mode() == LockMode.PERMITS) {
            throw new IllegalArgumentException("A lease of permits on \"" + lease.key()
                    + "\" cannot be checked: several hold at once, so their tokens have no order to enforce");
        }
    }
}
