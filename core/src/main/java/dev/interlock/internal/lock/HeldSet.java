package dev.interlock.internal.lock;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LeaseSet;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.lock.ReleaseResult;
import java.lang.ref.ReferenceQueue;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletionStage;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A lease on several keys. */
final class HeldSet extends LeaseHandle implements LeaseSet {
    private final List<LockKey> keys;
    // A copy, as in HeldLease: the hold may be passed on and then has the next tokens.
    private final List<FencingToken> tokens;

    HeldSet(
            ReferenceQueue<LeaseHandle> dropped,
            Hold hold,
            @Nullable EngineScope scope,
            @Nullable Thread interruptee,
            List<StackTraceElement> acquiredAt) {
        super(dropped, hold, scope, interruptee, acquiredAt);
        this.keys = List.copyOf(hold.keys());
        List<FencingToken> taken = new ArrayList<>(keys.size());
        for (int i = 0; i < keys.size(); i++) {
            taken.add(hold.tokenOf(i));
        }
        this.tokens = taken;
    }

    @Override
    public List<LockKey> keys() {
        return keys;
    }

    @Override
    public Lease of(LockKey key) {
        int index = hold().indexOf(key);
        if (index < 0) {
            throw new IllegalArgumentException("\"" + key + "\" is not in this lease set: it has " + keys);
        }
        return new View(index);
    }

    @Override
    FencingToken firstToken() {
        return tokens.get(0);
    }

    @Override
    public String toString() {
        return "LeaseSet" + keys + (isHeld() ? ", " + remaining() + " left" : ", not held");
    }

    /** One key of the set. */
    private final class View implements Lease {
        private final int index;

        View(int index) {
            this.index = index;
        }

        @Override
        public LockKey key() {
            return hold().grant(index).key();
        }

        @Override
        public OwnerId owner() {
            return hold().grant(index).owner();
        }

        @Override
        public LockMode mode() {
            return hold().mode(index);
        }

        @Override
        public FencingToken token() {
            return tokens.get(index);
        }

        @Override
        public boolean isHeld() {
            return HeldSet.this.isHeld();
        }

        @Override
        public Duration remaining() {
            return HeldSet.this.remaining();
        }

        @Override
        public void ensureHeld() {
            HeldSet.this.ensureHeld();
        }

        @Override
        public void onLost(Consumer<LossReason> callback) {
            HeldSet.this.onLost(callback);
        }

        @Override
        public CompletionStage<LossReason> lost() {
            return HeldSet.this.lost();
        }

        @Override
        public Duration renew(Duration atLeast) {
            return HeldSet.this.renew(atLeast);
        }

        @Override
        public ReleaseResult release() {
            throw notAlone();
        }

        @Override
        public CompletionStage<ReleaseResult> releaseAsync() {
            throw notAlone();
        }

        /** Does nothing, so that a view in try-with-resources does not release the set. */
        @Override
        public void close() {}

        private UnsupportedOperationException notAlone() {
            return new UnsupportedOperationException("\"" + key()
                    + "\" was acquired together with other keys and is released with them: release the lease set");
        }

        @Override
        public String toString() {
            return "Lease[" + key() + ", token " + token() + ", part of " + HeldSet.this + "]";
        }
    }
}
