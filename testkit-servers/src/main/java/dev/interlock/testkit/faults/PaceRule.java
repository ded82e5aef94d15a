package dev.interlock.testkit.faults;

import java.util.HashMap;
import java.util.Map;

/** Passes a number of bytes, then pauses, for each connection separately. */
final class PaceRule extends Rule {
    /** How much one connection may send before its next turn. */
    private static final class Turn {
        private long nextNanos;
        private long left;
        private boolean waiting;
    }

    private final Loop loop;
    private final Direction direction;
    private final long bytes;
    private final long everyNanos;
    private final Map<SocketPair, Turn> turns = new HashMap<>();

    PaceRule(Fault fault, Loop loop, Direction direction, long bytes, long everyNanos) {
        super(fault);
        this.loop = loop;
        this.direction = direction;
        this.bytes = bytes;
        this.everyNanos = everyNanos;
    }

    @Override
    long allowance(Flow flow) {
        if (flow.direction() != direction) {
            return Long.MAX_VALUE;
        }
        long now = System.nanoTime();
        Turn turn = turns.computeIfAbsent(flow.pair(), pair -> first(now));
        if (turn.nextNanos - now <= 0) {
            turn.nextNanos = now + everyNanos;
            turn.left = bytes;
        } else if (turn.left == 0 && !turn.waiting) {
            waitForNext(turn, flow);
        }
        return turn.left;
    }

    @Override
    void wrote(Flow flow, long written) {
        Turn turn = turns.get(flow.pair());
        if (turn != null && flow.direction() == direction) {
            turn.left -= written;
        }
    }

    @Override
    void forget(SocketPair pair) {
        turns.remove(pair);
    }

    private static Turn first(long now) {
        Turn turn = new Turn();
        turn.nextNanos = now;
        return turn;
    }

    private void waitForNext(Turn turn, Flow flow) {
        turn.waiting = true;
        fault().act(flow.connection());
        loop.at(turn.nextNanos, () -> {
            turn.waiting = false;
            flow.flush();
        });
    }
}
