package dev.interlock.spi;

import dev.interlock.lock.LockMode;
import java.time.Duration;
import java.util.Set;

/**
 * What a store really promises; the engine and the conformance kit read it, and nothing is discovered at run time.
 *
 * @param tokens how far its tokens can be trusted
 * @param ownership what a grant is tied to
 * @param multiKey whether one attempt takes several keys in one atomic step
 * @param queue whether waiters queue inside the store
 * @param push what the store tells without being asked
 * @param modes the lock modes it knows
 * @param lockDelay whether it can keep a lock closed after an abnormal loss
 * @param granularity how much a lease may be shorter than asked, by the store's clock resolution; whole seconds on some
 * @param introspection whether {@link LockStore#snapshot} works
 * @param forcedRelease whether {@link LockStore#forceRelease} works
 * @param waitNotes whether {@link LockStore#exchange} works, by which deadlocks across processes are found
 */
public record StoreCapabilities(
        Tokens tokens,
        Ownership ownership,
        MultiKey multiKey,
        Queue queue,
        Push push,
        Set<LockMode> modes,
        boolean lockDelay,
        Duration granularity,
        boolean introspection,
        boolean forcedRelease,
        boolean waitNotes) {
    /** Copies the set. */
    public StoreCapabilities {
        modes = Set.copyOf(modes);
    }

    /** How far tokens can be trusted to grow. */
    public enum Tokens {
        /** Through everything but a restore from a backup: durable or consensus storage. */
        STRICT,
        /** Unless data loss coincides with a clock that stepped back. */
        CLOCK_BOUNDED,
        /** Within the life of one process. */
        PROCESS
    }

    /** What a grant is tied to. */
    public enum Ownership {
        /** Each grant has its own expiry. */
        PER_GRANT,
        /** All grants of a process end with its session. */
        SESSION
    }

    /** How several keys are taken. */
    public enum MultiKey {
        /** All in one atomic step. */
        ONE_TRIP,
        /** One after the other, in the order given. */
        ONE_BY_ONE
    }

    /** Where waiters queue. */
    public enum Queue {
        /** In the store: a release grants the next live waiter. */
        SERVER,
        /** Nowhere: the engine asks again. */
        NONE
    }

    /** What a store tells without being asked. */
    public enum Push {
        /** A grant, by {@link StoreListener#granted}. */
        GRANTS,
        /** That a key may be free, by {@link StoreListener#maybeFree}. */
        HINTS,
        /** Nothing. */
        NONE
    }
}
