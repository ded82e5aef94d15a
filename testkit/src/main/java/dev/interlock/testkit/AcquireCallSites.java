package dev.interlock.testkit;

import dev.interlock.lock.LockEvent;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockRequest;
import dev.interlock.lock.Locks;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** Where the code under test last acquired each key, for the message about a lease that was never closed. */
final class AcquireCallSites {
    /** Classes on the stack between the code under test and this class, in addition to the engine and the JDK. */
    private static final Set<String> SKIPPED = Stream.of(
                    Locks.class,
                    LockRequest.class,
                    InterlockWorld.class,
                    AcquireCallSites.class,
                    ProcessTime.class,
                    SerialTrampoline.class,
                    Trampolines.class,
                    ScriptedConnection.class,
                    ScriptedLockStore.class)
            .map(Class::getName)
            .collect(Collectors.toUnmodifiableSet());

    private final Map<LockKey, String> sites = new ConcurrentHashMap<>();

    /** Records a grant. Called on the stack of the request if the request did not wait. */
    void record(LockEvent.Granted granted) {
        if (granted.waited().isZero() && !granted.passedLocally()) {
            String site = StackWalker.getInstance().walk(AcquireCallSites::caller);
            granted.keys().forEach(key -> sites.put(key, site));
        } else {
            granted.keys().forEach(sites::remove);
        }
    }

    private static String caller(Stream<StackWalker.StackFrame> stack) {
        return stack.filter(frame -> !isSkipped(frame.getClassName()))
                .findFirst()
                .map(frame -> ", acquired at " + frame.toStackTraceElement())
                .orElse("");
    }

    private static boolean isSkipped(String className) {
        return className.startsWith("dev.interlock.internal.")
                || className.startsWith("java.")
                || SKIPPED.contains(className);
    }

    /** Returns the call site as the end of a sentence, or an empty string if it is unknown. */
    String of(LockKey key) {
        return sites.getOrDefault(key, "");
    }
}
