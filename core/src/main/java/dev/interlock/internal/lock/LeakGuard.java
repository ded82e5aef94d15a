package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.Locks;
import dev.interlock.lock.OwnerId;
import java.lang.ref.Reference;
import java.lang.ref.ReferenceQueue;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Detects leases that were garbage-collected without having been closed. It reports them and stops renewing them.
 *
 * <p>The stack of an acquisition is recorded for one lease in {@value #SAMPLE}, and for every lease of a lock type
 * that has leaked once. Recording all of them would cost more than the locks themselves.
 */
final class LeakGuard {
    private static final int SAMPLE = 128;
    private static final int MAX_TYPES = 1024;
    private static final int MAX_FRAMES = 32;

    private final EngineRuntime runtime;
    private final EngineSettings settings;
    private final LeakTracing tracing;
    private final Events events;
    private final ReferenceQueue<LeaseHandle> dropped = new ReferenceQueue<>();
    private final Set<String> leakyTypes = ConcurrentHashMap.newKeySet();

    LeakGuard(EngineRuntime runtime, EngineSettings settings, Events events) {
        this.runtime = runtime;
        this.settings = settings;
        this.tracing = settings.leakTracing();
        this.events = events;
    }

    /** Where the garbage collector enqueues the references of dropped leases. */
    ReferenceQueue<LeaseHandle> dropped() {
        return dropped;
    }

    /** The caller's stack if it is to be recorded for this request, otherwise empty. Called on the caller's thread. */
    List<StackTraceElement> callSite(OwnerId id, LockKey key) {
        boolean sampled =
                id.attempt() % SAMPLE == 0 || (!leakyTypes.isEmpty() && leakyTypes.contains(settings.typeOf(key)));
        boolean traced = tracing == LeakTracing.ALWAYS || (tracing == LeakTracing.SAMPLED && sampled);
        return traced ? callers() : List.of();
    }

    /** The current stack without the frames of the engine. */
    static List<StackTraceElement> callers() {
        return StackWalker.getInstance()
                .walk(frames -> frames.filter(frame -> !isEngine(frame.getClassName()))
                        .limit(MAX_FRAMES)
                        .map(StackWalker.StackFrame::toStackTraceElement)
                        .toList());
    }

    private static boolean isEngine(String className) {
        return className.startsWith("dev.interlock.internal.") || className.equals(Locks.class.getName());
    }

    /** Handles the leases dropped since the last call. */
    void collect() {
        for (Reference<?> ref = dropped.poll(); ref != null; ref = dropped.poll()) {
            if (ref instanceof LeaseRef lease && lease.hold.isLive()) {
                lease.hold.abandon();
                runtime.lane().execute(() -> report(lease));
            }
        }
    }

    private void report(LeaseRef lease) {
        if (leakyTypes.size() < MAX_TYPES) {
            leakyTypes.add(settings.typeOf(lease.hold.grant(0).key()));
        }
        String where = lease.acquiredAt.isEmpty()
                ? "where it was acquired was not sampled; from now on it is, for this lock type"
                : "acquired at " + lease.acquiredAt;
        runtime.log().log(
                System.Logger.Level.WARNING,
                "A lease on {0} was dropped without being closed and is no longer renewed; {1}. Use try-with-resources",
                lease.hold.keys(),
                where);
        events.leaked(lease);
    }
}
