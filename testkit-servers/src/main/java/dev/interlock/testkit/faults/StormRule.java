package dev.interlock.testkit.faults;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Resets all that is open, again and again, until it is healed. */
final class StormRule extends Rule {
    private final Loop loop;
    private final LongSupplier pauseNanos;
    private final Supplier<List<Wire>> wires;

    StormRule(Fault fault, Loop loop, LongSupplier pauseNanos, Supplier<List<Wire>> wires) {
        super(fault);
        this.loop = loop;
        this.pauseNanos = pauseNanos;
        this.wires = wires;
        scheduleNext();
    }

    private void scheduleNext() {
        loop.at(System.nanoTime() + pauseNanos.getAsLong(), this::strike);
    }

    private void strike() {
        if (fault().isHealed()) {
            return;
        }
        for (Wire wire : wires.get()) {
            fault().act(wire.connection());
            wire.reset();
        }
        scheduleNext();
    }
}
