package dev.interlock.testkit.faults;

import java.util.List;
import java.util.function.LongSupplier;
import java.util.function.Supplier;

/** Resets all open connections repeatedly, until it is healed. */
final class StormRule extends Rule {
    private final Loop loop;
    private final LongSupplier pauseNanos;
    private final Supplier<List<SocketPair>> pairs;

    StormRule(Fault fault, Loop loop, LongSupplier pauseNanos, Supplier<List<SocketPair>> pairs) {
        super(fault);
        this.loop = loop;
        this.pauseNanos = pauseNanos;
        this.pairs = pairs;
        scheduleNext();
    }

    private void scheduleNext() {
        loop.at(System.nanoTime() + pauseNanos.getAsLong(), this::strike);
    }

    private void strike() {
        if (fault().isHealed()) {
            return;
        }
        for (SocketPair pair : pairs.get()) {
            fault().act(pair.connection());
            pair.reset();
        }
        scheduleNext();
    }
}
