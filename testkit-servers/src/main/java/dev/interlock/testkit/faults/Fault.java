package dev.interlock.testkit.faults;

import java.time.Duration;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A fault that is in force until it is healed.
 *
 * <p>It is in force when the method that injected it returns, and no longer when {@link #heal()} returns. Closing heals
 * it, so a try block bounds it. The fault counts how often it acted: a test whose fault never acted has tested nothing.
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
 */
public final class Fault implements AutoCloseable {
    private final FaultKind kind;
    private final String words;
    private final Consumer<Fault> healing;
    private final AwaitableCounter counter = new AwaitableCounter();
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

    /** How often it has acted; {@link FaultKind} says what is counted. Healing does not reset it. */
    public long acted() {
        return counter.count();
    }

    /** The connection it acted on last; empty if it has not acted or does not act on connections. */
    public Optional<ProxiedConnection> lastActedOn() {
        return Optional.ofNullable(last);
    }

    /** Waits until it has acted; {@link #awaitActed(long, Duration)} with 1. */
    public void awaitActed(Duration patience) {
        awaitActed(1, patience);
    }

    /**
     * Waits until it has acted this many times in total.
     *
     * @throws AssertionError if it has not within the patience, or the thread was interrupted; the interrupt flag stays
     * set
     */
    public void awaitActed(long times, Duration patience) {
        if (!counter.await(times, patience)) {
            throw new AssertionError(
                    "The fault " + this + " acted " + acted() + " times within " + patience + ", not " + times);
        }
    }

    /**
     * Ends the fault and delivers what it held back. Dropped bytes stay lost, and delayed bytes still arrive at their
     * time. Has no effect on a healed fault.
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

    /** Called by the proxy's thread between two steps, never during a step that has just counted. */
    void healed() {
        healed = true;
    }

    boolean isHealed() {
        return healed;
    }

    void act(ProxiedConnection on) {
        last = on;
        on.count(kind);
        counter.add();
    }

    void act() {
        counter.add();
    }

    @Override
    public String toString() {
        return words + (healed ? ", healed" : "");
    }
}
