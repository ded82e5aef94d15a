package dev.interlock.testkit.faults;

import java.util.function.LongSupplier;

/** Delay and jitter. The flow keeps the order: no message is due before the one ahead of it. */
final class DelayRule extends Rule {
    private final Direction direction;
    private final LongSupplier nanos;

    DelayRule(Fault fault, Direction direction, LongSupplier nanos) {
        super(fault);
        this.direction = direction;
        this.nanos = nanos;
    }

    @Override
    boolean passes(Flow flow, ProxiedMessage message) {
        if (flow.direction() == direction) {
            message.delayBy(nanos.getAsLong());
            fault().act(flow.connection());
        }
        return true;
    }

    @Override
    void ending(Flow flow, ProxiedMessage end) {
        if (flow.direction() == direction) {
            end.delayBy(nanos.getAsLong());
        }
    }
}
