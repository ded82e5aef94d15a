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

/** Where in the code under test each key was last acquired, for the message about a lease that nobody closed. */
final class GrantPlaces {
    /** What stands on the stack between the code under test and this class, beside the engine and the JDK. */
    private static final Set<String> ON_THE_WAY = Stream.of(
                    Locks.class,
                    LockRequest.class,
                    InterlockWorld.class,
                    GrantPlaces.class,
                    ProcessTime.class,
                    SerialTrampoline.class,
                    Trampolines.class,
                    Line.class,
                    LineStore.class)
            .map(Class::getName)
            .collect(Collectors.toUnmodifiableSet());

    private final Map<LockKey, String> places = new ConcurrentHashMap<>();

    /** Called for a grant, on the stack of the request if that had not to wait. */
    void note(LockEvent.Granted granted) {
        if (granted.waited().isZero() && !granted.passedLocally()) {
            String place = StackWalker.getInstance().walk(GrantPlaces::caller);
            granted.keys().forEach(key -> places.put(key, place));
        } else {
            granted.keys().forEach(places::remove);
        }
    }

    private static String caller(Stream<StackWalker.StackFrame> stack) {
        return stack.filter(frame -> !isOnTheWay(frame.getClassName()))
                .findFirst()
                .map(frame -> ", acquired at " + frame.toStackTraceElement())
                .orElse("");
    }

    private static boolean isOnTheWay(String className) {
        return className.startsWith("dev.interlock.internal.")
                || className.startsWith("java.")
                || ON_THE_WAY.contains(className);
    }

    /** The place as the end of a sentence; empty if it is not known. */
    String of(LockKey key) {
        return places.getOrDefault(key, "");
    }
}
