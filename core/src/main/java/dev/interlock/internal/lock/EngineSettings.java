package dev.interlock.internal.lock;

import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.LockType;
import dev.interlock.lock.OrderPolicy;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Optional;

/**
 * The settings of one engine.
 *
 * @param name the name of this process in messages and snapshots
 * @param defaults patience, lease and renewal for requests that set nothing; complete
 * @param order the global order of keys
 * @param orderPolicy what happens to a wait against the order
 * @param deadlocks whether and how deadlocks are searched for
 * @param listeners the listeners for lock events
 * @param leakTracing how often the stack of an acquisition is recorded
 * @param strictFifo whether barging is off
 * @param answerWithin the time after which an answer of the store counts as lost
 * @param releaseWithin how long a release waits for its answer
 * @param backendKeptOpen whether closing the engine leaves the backend open
 */
public record EngineSettings(
        String name,
        LockSettings defaults,
        LockOrder order,
        OrderPolicy orderPolicy,
        DeadlockDetection deadlocks,
        List<LockListener> listeners,
        LeakTracing leakTracing,
        boolean strictFifo,
        Duration answerWithin,
        Duration releaseWithin,
        boolean backendKeptOpen) {

    /** The settings of {@code Interlock.over(backend)}. */
    public static EngineSettings standard() {
        return new EngineSettings(
                hostAndProcess(),
                LockSettings.standard(),
                LockOrder.none(),
                OrderPolicy.REFUSE,
                DeadlockDetection.standard(),
                List.of(),
                LeakTracing.SAMPLED,
                false,
                Duration.ofSeconds(2),
                Duration.ofSeconds(2),
                false);
    }

    public EngineSettings withName(String value) {
        checkName("A process name", value);
        return new EngineSettings(
                value,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withDefaults(LockSettings value) {
        LockSettings whole = value.orElse(LockSettings.standard());
        ResolvedSettings.resolve(whole, LockSettings.inherit());
        return new EngineSettings(
                name,
                whole,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withOrder(LockOrder value) {
        return new EngineSettings(
                name,
                defaults,
                value,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withOrderPolicy(OrderPolicy value) {
        return new EngineSettings(
                name,
                defaults,
                order,
                value,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withDeadlocks(DeadlockDetection value) {
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                value,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withListener(LockListener value) {
        List<LockListener> more = new ArrayList<>(listeners);
        more.add(value);
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                List.copyOf(more),
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withLeakTracing(LeakTracing value) {
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                value,
                strictFifo,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withStrictFifo(boolean value) {
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                value,
                answerWithin,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withAnswerWithin(Duration value) {
        checkLimit("answerWithin", value);
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                value,
                releaseWithin,
                backendKeptOpen);
    }

    public EngineSettings withReleaseWithin(Duration value) {
        checkLimit("releaseWithin", value);
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                value,
                backendKeptOpen);
    }

    public EngineSettings withBackendKeptOpen(boolean value) {
        return new EngineSettings(
                name,
                defaults,
                order,
                orderPolicy,
                deadlocks,
                listeners,
                leakTracing,
                strictFifo,
                answerWithin,
                releaseWithin,
                value);
    }

    /** Checks a name that appears in messages and snapshots: short, and one line. */
    static void checkName(String what, String value) {
        Objects.requireNonNull(value, what + " is null: give one");
        if (value.isBlank() || value.length() > 128 || value.chars().anyMatch(Character::isISOControl)) {
            throw new IllegalArgumentException(
                    what + " has 1 to 128 characters, no control characters and is not blank");
        }
    }

    private static void checkLimit(String what, Duration value) {
        Objects.requireNonNull(value, what + " is null: give a Duration");
        if (value.compareTo(Duration.ofMillis(1)) < 0 || value.compareTo(Duration.ofMinutes(5)) > 0) {
            throw new IllegalArgumentException(what + " is " + value + ": choose a duration between PT0.001S and PT5M");
        }
    }

    /** The name of the key's lock type: the declared one, or else the part of the key before the first colon. */
    String typeOf(LockKey key) {
        Optional<LockType> declared = order.typeOf(key);
        if (declared.isPresent()) {
            return declared.get().name();
        }
        String keyName = key.name();
        int colon = keyName.indexOf(':');
        return colon < 0 ? keyName : keyName.substring(0, colon);
    }

    /** The process as operators know it: its name, and the host and process id where these differ from the name. */
    String process() {
        String place = hostAndProcess();
        return name.equals(place) ? name : name + " (" + place + ")";
    }

    private static String hostAndProcess() {
        String host;
        try {
            host = InetAddress.getLocalHost().getHostName();
        } catch (UnknownHostException e) {
            host = "localhost";
        }
        return host + "/" + ProcessHandle.current().pid();
    }
}
