package dev.interlock.internal.lock;

import dev.interlock.lock.DeadlockDetection;
import dev.interlock.lock.LeakTracing;
import dev.interlock.lock.LockListener;
import dev.interlock.lock.LockOrder;
import dev.interlock.lock.LockSettings;
import dev.interlock.lock.OrderPolicy;
import dev.interlock.spi.LockStore;
import java.net.InetAddress;
import java.net.UnknownHostException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.TimeUnit;

/**
 * Everything about an engine that can be set.
 *
 * @param name what the process calls itself
 * @param defaults patience, lease and renewal where nobody says otherwise; complete
 * @param order the global order of keys
 * @param orderPolicy what happens to a wait against the order
 * @param deadlocks how waits that last are watched
 * @param listeners who hears of events
 * @param leakTracing how often acquisition places are remembered
 * @param strictFifo whether running threads may not overtake
 * @param answerWithin after what time a store's answer counts as lost
 * @param releaseWithin how long a release waits for its answer
 * @param backendKeptOpen whether closing leaves the backend open
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

    /** How often a waiter is heard of at the store; a dead one is skipped after about twice that. */
    static final long HEARTBEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** How long a store keeps a silent waiter, and a grant that was handed to it and not yet confirmed. */
    static final Duration HEARD_WITHIN = Duration.ofSeconds(1);

    /** A grant that surely lasts this long is delivered before its confirmation, */
    static final long SURE_NANOS = HEARD_WITHIN.toNanos() / 2;

    /** which is sent this long after it. */
    static final long EXTEND_SOON_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    /**
     * However short the patience, the store has this long for its first answer: patience is for holders, and a request that gives up
     * before anything can be known would have to call the store unavailable.
     */
    static final long FIRST_ANSWER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** In a row, a lease is passed on inside the process at most this often … */
    static final int PASSES_IN_A_ROW = 64;

    /** … and for at most this long; then the store decides, so that other processes are not starved. */
    static final long PASSING_NANOS = TimeUnit.MILLISECONDS.toNanos(20);

    /** How often a local waiter may be overtaken by threads that are already running. */
    static final int OVERTAKEN_AT_MOST = 16;

    /** How often a request for several keys leaves those it could have, before it keeps them while it waits for another. */
    static final int TRIES_AT_GATES = 16;

    /** How many may wait for one key inside one process. */
    static final int WAITERS_PER_KEY = 65_536;

    /** How many keys one request may name. */
    static final int KEYS_PER_REQUEST = 1024;

    /** Polling where a store cannot queue: the first pause, and the longest. */
    static final long POLL_FIRST_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    static final long POLL_LONGEST_NANOS = TimeUnit.SECONDS.toNanos(1);

    /** How often a process says that its long waits go on, … */
    static final long WAIT_BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(400);

    /** … and how often while it sees a cycle, until that is confirmed or gone. */
    static final long SUSPICIOUS_BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(100);

    /** It is not looked at them more often than this, … */
    static final long LEAST_BEAT_NANOS = TimeUnit.MILLISECONDS.toNanos(50);

    /** … and with so many that a look takes long, only after so many times as long. */
    static final int LOOKS_APART = 20;

    /**
     * How often a wait is mentioned whose scope holds nothing, and which keeps no reader behind it: it is on no cycle, and people only want
     * to see it.
     */
    static final long BARE_WAIT_NANOS = TimeUnit.SECONDS.toNanos(2);

    /** How long the store keeps the note of a wait of which it hears nothing more. */
    static final Duration WAIT_NOTES_KEPT = Duration.ofSeconds(5);

    /** How many waits of one process are described to the others; those that hold something come first. */
    static final int WAIT_NOTES = LockStore.MAX_BATCH;

    /** How many of them may hold nothing: they are on no cycle, and everybody who searches reads them. */
    static final int BARE_WAIT_NOTES = 50;

    /** Who searches for nothing reads at least this often: stores clear away what is over when it is read. */
    static final long READ_AT_LEAST_NANOS = TimeUnit.MINUTES.toNanos(1);

    /** What is taken off every lease: clocks of holder and store may drift apart by one percent … */
    static final double DRIFT = 0.01;

    /** … and a check takes a moment. */
    static final long MARGIN_NANOS = TimeUnit.MILLISECONDS.toNanos(2);

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
        Terms.resolve(whole, LockSettings.inherit());
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

    /** A name that people read in messages and snapshots: short, and one line. */
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

    /** The process as operators look for it: what it calls itself, and where it runs. */
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
