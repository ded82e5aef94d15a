package dev.interlock.internal.lock;

import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.lock.OwnerId;
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

    LeaseRef watch(HeldRight lease, Hold hold, @Nullable EngineScope scope, List<StackTraceElement> acquiredAt) {
        return new LeaseRef(lease, dropped, hold, scope, acquiredAt);
    }

    /** The caller's stack, if this request is to remember it; asked on the caller's own thread. */
    List<StackTraceElement> place(OwnerId id, LockKey key) {
        boolean sampled =
                id.attempt() % SAMPLE == 0 || (!leakyTypes.isEmpty() && leakyTypes.contains(engine.typeOf(key)));
        boolean traced = tracing == LeakTracing.ALWAYS || (tracing == LeakTracing.SAMPLED && sampled);
        return traced ? callers() : List.of();
    }

    /** The stack of whoever called us, without our own frames. */
    static List<StackTraceElement> callers() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !isOurs(frame.getClassName()))
                        .limit(32)
                        .map(StackWalker.StackFrame::toStackTraceElement)
                        .toList());
    }

    private static boolean isOurs(String className) {
        return className.startsWith("dev.interlock.internal.") || className.equals(Locks.class.getName());
    }

    /** Deals with the leases dropped since the last call. */
    void collect() {
        for (Reference<?> ref = dropped.poll(); ref != null; ref = dropped.poll()) {
            if (ref instanceof LeaseRef lease && lease.hold.isLive()) {
                lease.hold.abandon();
                engine.lane().execute(() -> report(lease));
            }
        }
    }

    private void report(LeaseRef lease) {
        if (leakyTypes.size() < MOST_TYPES) {
            leakyTypes.add(engine.typeOf(lease.hold));
        }
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
