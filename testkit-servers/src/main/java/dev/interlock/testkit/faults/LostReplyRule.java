package dev.interlock.testkit.faults;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The reply to a matching request does not arrive. The request does. */
final class LostReplyRule extends Rule {
    /** What happens to the connection then. */
    enum Aftermath {
        GO_ON,
        SILENCE,
        CUT
    }

    /** One connection: the numbers of the replies that will be lost, and whether it has fallen silent. */
    private static final class Loss {
        private final Set<Long> replies = new HashSet<>();
        private boolean silent;

        boolean hits(Message message) {
            if (silent || message.part() == Framing.Part.ASIDE) {
                return silent;
            }
            replies.removeIf(reply -> reply < message.unit());
            return replies.contains(message.unit());
        }
    }

    private final Choice choice;
    private final Aftermath aftermath;
    private final Map<Wire, Loss> losses = new HashMap<>();

    LostReplyRule(Fault fault, Matching request, Aftermath aftermath) {
        super(fault);
        this.choice = Choice.of(request);
        this.aftermath = aftermath;
    }

    @Override
    boolean passes(Flow flow, Message message) {
        if (flow.direction() == Direction.TO_SERVER) {
            noteRequest(flow, message);
            return true;
        }
        Loss loss = losses.get(flow.wire());
        if (loss == null || !loss.hits(message)) {
            return true;
        }
        loss.silent = aftermath != Aftermath.GO_ON;
        fault().act(flow.connection());
        if (aftermath == Aftermath.CUT) {
            // What was answered before this request has a right to arrive.
            flow.flush();
            flow.wire().cut();
        }
        return false;
    }

    @Override
    void ending(Flow flow, Message end) {
        Loss loss = losses.get(flow.wire());
        if (flow.direction() == Direction.TO_CLIENT && loss != null && loss.silent) {
            end.waitFor(fault());
        }
    }

    @Override
    void forget(Wire wire) {
        choice.forget(wire);
        losses.remove(wire);
    }

    private void noteRequest(Flow flow, Message message) {
        if (message.part() != Framing.Part.ASIDE && choice.takes(flow, message)) {
            losses.computeIfAbsent(flow.wire(), wire -> new Loss())
                    .replies
                    .add(flow.wire().replyTo(message));
        }
    }
}
