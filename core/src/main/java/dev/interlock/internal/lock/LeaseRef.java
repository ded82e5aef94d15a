package dev.interlock.internal.lock;

import java.lang.ref.ReferenceQueue;
import java.lang.ref.WeakReference;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The engine's only way to a lease object: weak, so that a lease that is dropped unclosed is noticed. */
final class LeaseRef extends WeakReference<HeldRight> {
    final Hold hold;
    final @Nullable EngineScope scope;
    final List<StackTraceElement> acquiredAt;

    LeaseRef(
            HeldRight lease,
            ReferenceQueue<HeldRight> dropped,
            Hold hold,
            @Nullable EngineScope scope,
            List<StackTraceElement> acquiredAt) {
        super(lease, dropped);
        this.hold = hold;
        this.scope = scope;
        this.acquiredAt = acquiredAt;
    }
}
