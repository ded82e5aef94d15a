package dev.interlock.spi;

import dev.interlock.lock.LockMode;
import java.time.Duration;
import java.util.Collections;
import java.util.EnumSet;
import java.util.Objects;
import java.util.Set;

/**
 * What a lock store promises and which optional operations it supports.
 *
 * <p>A backend declares its capabilities before the first call. The engine and the conformance kit read them; nothing
 * is discovered at run time. The engine refuses a request that the store does not support before it calls the store.
 *
 * <p>By default, optional operations are off and promises are the weakest ones, so a backend names only what it
 * supports. Two defaults need a second look: a store that ties grants to a session sets {@link Builder#ownership}, and
 * one with a coarse clock sets {@link Builder#granularity}.
 *
 * <pre>{@code
 * StoreCapabilities.builder()
 *         .tokens(StoreCapabilities.Tokens.STRICT)
 *         .queue(StoreCapabilities.Queue.SERVER)
 *         .push(StoreCapabilities.Push.GRANTS)
 *         .modes(EnumSet.allOf(LockMode.class))
 *         .build();
 * }</pre>
 *
 * <p>Immutable.
 *
 * @since 0.1.0
 */
public final class StoreCapabilities {
    private final Tokens tokens;
    private final Ownership ownership;
    private final MultiKey multiKey;
    private final Queue queue;
    private final Push push;
    private final Set<LockMode> modes;
    private final boolean lockDelay;
    private final Duration granularity;
    private final boolean introspection;
    private final boolean forcedRelease;
    private final boolean waitReports;

    private StoreCapabilities(Builder from) {
        tokens = from.tokens;
        ownership = from.ownership;
        multiKey = from.multiKey;
        queue = from.queue;
        push = from.push;
        modes = from.modes;
        lockDelay = from.lockDelay;
        granularity = from.granularity;
        introspection = from.introspection;
        forcedRelease = from.forcedRelease;
        waitReports = from.waitReports;
    }

    /** Returns a builder that starts with the default of each capability. */
    public static Builder builder() {
        return new Builder();
    }

    /** Returns a builder that starts with these capabilities, for a backend that decorates another one. */
    public Builder toBuilder() {
        return new Builder()
                .tokens(tokens)
                .ownership(ownership)
                .multiKey(multiKey)
                .queue(queue)
                .push(push)
                .modes(modes)
                .lockDelay(lockDelay)
                .granularity(granularity)
                .introspection(introspection)
                .forcedRelease(forcedRelease)
                .waitReports(waitReports);
    }

    /** Returns which failures fencing tokens survive without repeating or falling. */
    public Tokens tokens() {
        return tokens;
    }

    /** Returns whether a grant expires by itself or with its process's session. */
    public Ownership ownership() {
        return ownership;
    }

    /** Returns whether one attempt acquires several keys atomically. */
    public MultiKey multiKey() {
        return multiKey;
    }

    /** Returns whether the store queues waiters. */
    public Queue queue() {
        return queue;
    }

    /** Returns which messages the store sends without a request. */
    public Push push() {
        return push;
    }

    /** Returns the supported lock modes, as an unmodifiable set. */
    public Set<LockMode> modes() {
        return modes;
    }

    /** Returns whether the store can keep a lock closed for a lock-delay after a lease expires. */
    public boolean lockDelay() {
        return lockDelay;
    }

    /** Returns how much earlier than requested a lease can end because of the resolution of the store's clock. */
    public Duration granularity() {
        return granularity;
    }

    /** Returns whether {@link LockStore#snapshot} is supported. */
    public boolean introspection() {
        return introspection;
    }

    /** Returns whether {@link LockStore#forceRelease} is supported. */
    public boolean forcedRelease() {
        return forcedRelease;
    }

    /**
     * Returns whether {@link LockStore#exchange} is supported. Without it, the engine detects only deadlocks within one
     * process.
     */
    public boolean waitReports() {
        return waitReports;
    }

    @Override
    public String toString() {
        return "StoreCapabilities[tokens=" + tokens + ", ownership=" + ownership + ", multiKey=" + multiKey + ", queue="
                + queue + ", push=" + push + ", modes=" + modes + ", lockDelay=" + lockDelay + ", granularity="
                + granularity + ", introspection=" + introspection + ", forcedRelease=" + forcedRelease
                + ", waitReports=" + waitReports + "]";
    }

    /** Builds {@link StoreCapabilities}. What is not set keeps the default that its setter names. Not thread-safe. */
    public static final class Builder {
        private Tokens tokens = Tokens.PROCESS;
        private Ownership ownership = Ownership.PER_GRANT;
        private MultiKey multiKey = MultiKey.ONE_BY_ONE;
        private Queue queue = Queue.NONE;
        private Push push = Push.NONE;
        private Set<LockMode> modes = Set.of(LockMode.EXCLUSIVE);
        private boolean lockDelay;
        private Duration granularity = Duration.ZERO;
        private boolean introspection;
        private boolean forcedRelease;
        private boolean waitReports;

        private Builder() {}

        /** Sets which failures fencing tokens survive without repeating or falling. Default: {@link Tokens#PROCESS}. */
        public Builder tokens(Tokens growth) {
            tokens = Objects.requireNonNull(growth, "tokens is null: choose STRICT, CLOCK_BOUNDED or PROCESS");
            return this;
        }

        /** Sets whether a grant expires by itself or with a session. Default: {@link Ownership#PER_GRANT}. */
        public Builder ownership(Ownership kind) {
            ownership = Objects.requireNonNull(kind, "ownership is null: choose PER_GRANT or SESSION");
            return this;
        }

        /** Sets whether one attempt acquires several keys atomically. Default: {@link MultiKey#ONE_BY_ONE}. */
        public Builder multiKey(MultiKey kind) {
            multiKey = Objects.requireNonNull(kind, "multiKey is null: choose ATOMIC or ONE_BY_ONE");
            return this;
        }

        /** Sets whether the store queues waiters. Default: {@link Queue#NONE}. */
        public Builder queue(Queue kind) {
            queue = Objects.requireNonNull(kind, "queue is null: choose SERVER or NONE");
            return this;
        }

        /** Sets which messages the store sends without a request. Default: {@link Push#NONE}. */
        public Builder push(Push kind) {
            push = Objects.requireNonNull(kind, "push is null: choose GRANTS, HINTS or NONE");
            return this;
        }

        /**
         * Sets the supported lock modes. Default: {@link LockMode#EXCLUSIVE} only.
         *
         * @throws IllegalArgumentException if the set is empty
         */
        public Builder modes(Set<LockMode> supported) {
            if (supported.isEmpty()) {
                throw new IllegalArgumentException("modes is empty: a store supports at least one lock mode");
            }
            // In the order of the enum, so that messages that list the modes are the same in every run.
            modes = Collections.unmodifiableSet(EnumSet.copyOf(supported));
            return this;
        }

        /** Sets whether the store can keep a lock closed for a lock-delay after a lease expires. Default: false. */
        public Builder lockDelay(boolean supported) {
            lockDelay = supported;
            return this;
        }

        /**
         * Sets how much earlier than requested a lease can end because of the resolution of the store's clock. A store
         * that counts whole seconds says one second. Default: zero, for a clock with the resolution of a
         * {@link Duration}.
         *
         * @throws IllegalArgumentException if the duration is negative
         */
        public Builder granularity(Duration resolution) {
            if (resolution.isNegative()) {
                throw new IllegalArgumentException("granularity is " + resolution + ": choose zero or more");
            }
            granularity = resolution;
            return this;
        }

        /** Sets whether {@link LockStore#snapshot} is supported. Default: false. */
        public Builder introspection(boolean supported) {
            introspection = supported;
            return this;
        }

        /** Sets whether {@link LockStore#forceRelease} is supported. Default: false. */
        public Builder forcedRelease(boolean supported) {
            forcedRelease = supported;
            return this;
        }

        /** Sets whether {@link LockStore#exchange} is supported. Default: false. */
        public Builder waitReports(boolean supported) {
            waitReports = supported;
            return this;
        }

        /** Returns the capabilities. The builder can be used again. */
        public StoreCapabilities build() {
            return new StoreCapabilities(this);
        }
    }

    /** Which failures fencing tokens survive without repeating or falling. */
    public enum Tokens {
        /** All failures except a restore from a backup. For durable and for consensus storage. */
        STRICT,
        /** All failures except a loss of data together with a clock that was set back. */
        CLOCK_BOUNDED,
        /** None: tokens grow only while one process lives. */
        PROCESS
    }

    /** What ends a grant that is neither renewed nor released. */
    public enum Ownership {
        /** Each grant expires by itself. */
        PER_GRANT,
        /** All grants of a process end together with its session. */
        SESSION
    }

    /** How one attempt acquires several keys. */
    public enum MultiKey {
        /** In one atomic step. */
        ATOMIC,
        /** One after the other, in the given order. */
        ONE_BY_ONE
    }

    /** Where waiters queue. */
    public enum Queue {
        /** In the store. A release grants the lock to the next live waiter. */
        SERVER,
        /** Not in the store. The engine polls. */
        NONE
    }

    /** Which messages a store sends without a request. */
    public enum Push {
        /** Grants to waiters, through {@link StoreListener#granted}. */
        GRANTS,
        /** Hints that a key may be free, through {@link StoreListener#maybeFree}. */
        HINTS,
        /** None. */
        NONE
    }
}
