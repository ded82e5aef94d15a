package dev.interlock.testkit.faults;

import java.util.HashMap;
import java.util.Map;

/** Passes exactly this many bytes of each connection, then resets it. */
final class ResetAfterRule extends Rule {
    private final Direction direction;
    private final long bytes;
    private final Map<SocketPair, Long> left = new HashMap<>();

    ResetAfterRule(Fault fault, Direction direction, long bytes) {
        super(fault);
        this.direction = direction;
        this.bytes = bytes;
    }

    @Override
    long allowance(Flow flow) {
        return flow.direction() == direction ? left.getOrDefault(flow.pair(), bytes) : Long.MAX_VALUE;
    }

    @Override
    void wrote(Flow flow, long written) {
        if (flow.direction() == direction && left.merge(flow.pair(), bytes - written, (l, b) -> l - written) <= 0) {
            fault().act(flow.connection());
            flow.pair().reset();
        }
    }

    @Override
    void forget(SocketPair pair) {
        left.remove(pair);
    }
}
