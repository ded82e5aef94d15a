package dev.interlock.testkit.faults;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Selects the messages of one fault: all of a direction, or those that match. Used only by the proxy's thread. */
final class Choice {
    /** The decision on one request or reply. It holds for the later messages too, and counts once. */
    private record Decision(long unit, boolean taken) {
        boolean covers(ProxiedMessage message) {
            return message.part() == Framing.Part.MORE && message.unit() == unit;
        }
    }

    private final Direction direction;
    private final @Nullable Matching matching;
    private final Map<SocketPair, Decision> decisions = new HashMap<>();
    private int count;

    private Choice(Direction direction, @Nullable Matching matching) {
        this.direction = direction;
        this.matching = matching;
    }

    static Choice all(Direction direction) {
        return new Choice(direction, null);
    }

    static Choice of(Matching matching) {
        return new Choice(matching.role().direction(), matching);
    }

    boolean takes(Flow flow, ProxiedMessage message) {
        if (flow.direction() != direction) {
            return false;
        }
        if (matching == null) {
            return true;
        }
        Decision decision = decisions.get(flow.pair());
        if (decision != null && decision.covers(message)) {
            return decision.taken();
        }
        return hasRole(matching, message) && matching.fits(message.bytes()) && decide(matching, flow, message);
    }

    /** As {@link #takes}, but only for the message that decides, not for the rest of its request. */
    boolean takesFirst(Flow flow, ProxiedMessage message) {
        Decision decision = decisions.get(flow.pair());
        return (decision == null || !decision.covers(message)) && takes(flow, message);
    }

    /** The end of a flow belongs to all of its bytes, and to no single message. */
    boolean takesEnd(Flow flow) {
        return matching == null && flow.direction() == direction;
    }

    void forget(SocketPair pair) {
        decisions.remove(pair);
    }

    private boolean decide(Matching wanted, Flow flow, ProxiedMessage message) {
        count++;
        boolean taken = wanted.wants(count);
        if (message.part() != Framing.Part.ASIDE) {
            decisions.put(flow.pair(), new Decision(message.unit(), taken));
        }
        return taken;
    }

    private static boolean hasRole(Matching wanted, ProxiedMessage message) {
        boolean aside = message.part() == Framing.Part.ASIDE;
        return switch (wanted.role()) {
            case REQUEST -> true;
            case REPLY -> !aside;
            case PUSH -> aside;
        };
    }
}
