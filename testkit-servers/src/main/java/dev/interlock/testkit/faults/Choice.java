package dev.interlock.testkit.faults;

import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** Which messages one fault takes: all of a direction, or those that match. Only the proxy's thread uses it. */
final class Choice {
    /** What was decided about one request or reply, so that its later messages share its fate and count once. */
    private record Decision(long unit, boolean taken) {
        boolean covers(Message message) {
            return message.part() == Framing.Part.MORE && message.unit() == unit;
        }
    }

    private final Direction direction;
    private final @Nullable Matching matching;
    private final Map<Wire, Decision> decisions = new HashMap<>();
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

    boolean takes(Flow flow, Message message) {
        if (flow.direction() != direction) {
            return false;
        }
        if (matching == null) {
            return true;
        }
        Decision decision = decisions.get(flow.wire());
        if (decision != null && decision.covers(message)) {
            return decision.taken();
        }
        return hasRole(matching, message) && matching.fits(message.bytes()) && decide(matching, flow, message);
    }

    /** As {@link #takes}, but only for the message that decides, not for the rest of its request. */
    boolean takesFirst(Flow flow, Message message) {
        Decision decision = decisions.get(flow.wire());
        return (decision == null || !decision.covers(message)) && takes(flow, message);
    }

    /** The end of a flow belongs to all of its bytes, and to no single message. */
    boolean takesEnd(Flow flow) {
        return matching == null && flow.direction() == direction;
    }

    void forget(Wire wire) {
        decisions.remove(wire);
    }

    private boolean decide(Matching wanted, Flow flow, Message message) {
        count++;
        boolean taken = wanted.wants(count);
        if (message.part() != Framing.Part.ASIDE) {
            decisions.put(flow.wire(), new Decision(message.unit(), taken));
        }
        return taken;
    }

    private static boolean hasRole(Matching wanted, Message message) {
        boolean aside = message.part() == Framing.Part.ASIDE;
        return switch (wanted.role()) {
            case REQUEST -> true;
            case REPLY -> !aside;
            case PUSH -> aside;
        };
    }
}
