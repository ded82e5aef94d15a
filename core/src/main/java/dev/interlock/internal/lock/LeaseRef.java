package dev.interlock.internal.lock;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The engine's only reference to a lease. It is weak, so that a lease that is dropped without being closed is
 * detected.
 */
final class LeaseRef extends WeakReference<LeaseHandle> {
    final Hold hold;
    final @Nullable EngineScope scope;
    final List<StackTraceElement> acquiredAt;

    LeaseRef(
            LeaseHandle lease,
            ReferenceQueue<LeaseHandle> dropped,
            Hold hold,
            @Nullable EngineScope scope,
            List<StackTraceElement> acquiredAt) {
        super(lease, dropped);
        this.hold = hold;
        this.scope = scope;
        this.acquiredAt = acquiredAt;
    }
}
