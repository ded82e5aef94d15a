package dev.interlock.internal.lock;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.OwnerId;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** A lease on one key. */
final class HeldLease extends LeaseHandle implements Lease {
    // A copy: the hold may be passed on and then has the next token, while this object is still in use.
    private final int pass;

    HeldLease(
            ReferenceQueue<LeaseHandle> dropped,
            Hold hold,
            @Nullable EngineScope scope,
            @Nullable Thread interruptee,
            List<StackTraceElement> acquiredAt) {
        super(dropped, hold, scope, interruptee, acquiredAt);
        this.pass = hold.pass();
    }

    @Override
    public LockKey key() {
        return hold().grant(0).key();
    }

    @Override
    public OwnerId owner() {
        return hold().grant(0).owner();
    }

    @Override
    public LockMode mode() {
        return hold().mode(0);
    }

    @Override
    public FencingToken token() {
        return hold().tokenOf(0, pass);
    }

    @Override
    FencingToken firstToken() {
        return hold().tokenOf(0, pass);
    }

    @Override
    public String toString() {
        return "Lease[" + key() + ", token " + token() + ", owner " + owner() + ", "
                + (isHeld() ? remaining() + " left" : "not held") + "]";
    }
}
