package dev.interlock.internal.lock;

import dev.interlock.lock.LeakTracing;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import org.jspecify.annotations.Nullable;

/**
 * Notices leases that were garbage-collected without having been closed: they are reported and no longer renewed.
 *
 * <p>Where a lease was acquired is remembered for one in {@value #SAMPLE}, and for every one of a type that has leaked
 * once; a stack trace costs more than a lock.
 */
final class LeakGuard {
    private static final int SAMPLE = 128;
    private static final int MOST_TYPES = 1024;

    private final ReferenceQueue<HeldRight> dropped = new ReferenceQueue<>();
    private final Set<String> leakyTypes = ConcurrentHashMap.newKeySet();
    private final LeakTracing tracing;
    private final Engine engine;

    LeakGuard(Engine engine, LeakTracing tracing) {
        this.engine = engine;
        this.tracing = tracing;
    }

    LeaseRef watch(HeldRight lease, Hold hold, @Nullable EngineScope scope) {
        return new LeaseRef(lease, dropped, hold, scope, isTraced(hold) ? stack() : List.of());
    }

    private boolean isTraced(Hold hold) {
        return switch (tracing) {
            case ALWAYS -> true;
            case OFF -> false;
            case SAMPLED ->
                hold.grants().get(0).owner().attempt() % SAMPLE == 0
                        || (!leakyTypes.isEmpty() && leakyTypes.contains(engine.typeOf(hold)));
        };
    }

    private static List<StackTraceElement> stack() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !frame.getClassName().startsWith("dev.interlock.internal."))
                        .limit(32)
                        .map(StackWalker.StackFrame::toStackTraceElement)
                        .toList());
    }

    /** Deals with the leases dropped since the last call. */
    void collect() {
        for (Reference<?> ref = dropped.poll(); ref != null; ref = dropped.poll()) {
            if (ref instanceof LeaseRef lease && lease.hold.isLive()) {
                report(lease);
            }
        }
    }

    private void report(LeaseRef lease) {
        if (leakyTypes.size() < MOST_TYPES) {
            leakyTypes.add(engine.typeOf(lease.hold));
        }
        lease.hold.abandon();
        String where = lease.acquiredAt.isEmpty()
                ? "where it was acquired was not sampled; from now on it is, for this lock type"
                : "acquired at " + lease.acquiredAt;
        engine.log().log(
                System.Logger.Level.WARNING,
                "A lease on {0} was dropped without being closed and is no longer renewed; {1}. Use try-with-resources",
                lease.hold.keys(),
                where);
        engine.events().leaked(lease);
    }
}
