package dev.interlock.testkit.faults;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fault that is in force until it is healed.
 *
 * <p>It is in force when the method that made it returns, and out of force when {@link #heal()} returns. Closing heals, so a
 * try block bounds it. The fault counts how often it acted: a test that never saw its fault act has tested nothing.
 *
 * <p>Thread-safe.
 */
public final class Fault implements AutoCloseable {
    private final FaultKind kind;
    private final String words;
    private final Consumer<Fault> healing;
    private final Tally tally = new Tally();
    private final AtomicBoolean asked = new AtomicBoolean();
    private volatile boolean healed;
    private volatile @Nullable ProxiedConnection last;

    Fault(FaultKind kind, String words, Consumer<Fault> healing) {
        this.kind = kind;
        this.words = words;
        this.healing = healing;
    }

    /** What this fault does. */
    public FaultKind kind() {
        return kind;
    }

    /** How often it has acted; {@link FaultKind} says what is counted. Stays as it is after healing. */
    public long acted() {
        return tally.count();
    }

    /** The connection it acted on last; empty while it has not acted, or when it is not about connections. */
    public Optional<ProxiedConnection> lastActedOn() {
        return Optional.ofNullable(last);
    }

    /** Waits until it has acted; {@link #awaitActed(long, Duration)} with 1. */
    public void awaitActed(Duration patience) {
        awaitActed(1, patience);
    }

    /**
     * Waits until it has acted so many times in all.
     *
     * @throws AssertionError if it has not within the patience, or the thread was interrupted, which stays set
     */
    public void awaitActed(long times, Duration patience) {
        if (!tally.await(times, patience)) {
            throw new AssertionError(
                    "The fault " + this + " acted " + acted() + " times within " + patience + ", not " + times);
        }
    }

    /**
     * Ends the fault; what it held back is delivered now. Bytes that were dropped stay lost, and bytes that are being delayed
     * still arrive at their time. Does nothing when it is healed already.
     */
    public void heal() {
        if (!asked.getAndSet(true)) {
            healing.accept(this);
            healed = true;
        }
    }

    /** Heals. */
    @Override
    public void close() {
        heal();
    }

    /** Called by the proxy's thread, between two of its steps: never in the middle of one that has just counted. */
    void healed() {
        healed = true;
    }

    boolean isHealed() {
        return healed;
    }

    void act(ProxiedConnection on) {
        last = on;
        on.count(kind);
        tally.add();
    }

    void act() {
        tally.add();
    }

    @Override
    public String toString() {
        return words + (healed ? ", healed" : "");
    }
}
