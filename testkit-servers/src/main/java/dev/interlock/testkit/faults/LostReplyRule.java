package dev.interlock.testkit.faults;

import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;

/** The reply to a matching request is lost. The request arrives. */
final class LostReplyRule extends Rule {
    /** What happens to the connection after the loss. */
    enum AfterLoss {
        CONTINUE,
        SILENCE,
        CUT
    }

    /** The state of one connection: the numbers of the replies to lose, and whether it is silent. */
    private static final class Loss {
        private final Set<Long> replies = new HashSet<>();
        private boolean silent;

        boolean hits(ProxiedMessage message) {
            if (silent || message.part() == Framing.Part.ASIDE) {
                return silent;
            }
            replies.removeIf(reply -> reply < message.unit());
            return replies.contains(message.unit());
        }
    }

    private final Choice choice;
    private final AfterLoss afterLoss;
    private final Map<SocketPair, Loss> losses = new HashMap<>();

    LostReplyRule(Fault fault, Matching request, AfterLoss afterLoss) {
        super(fault);
        this.choice = Choice.of(request);
        this.afterLoss = afterLoss;
    }

    @Override
    boolean passes(Flow flow, ProxiedMessage message) {
        if (flow.direction() == Direction.TO_SERVER) {
            recordRequest(flow, message);
            return true;
        }
        Loss loss = losses.get(flow.pair());
        if (loss == null || !loss.hits(message)) {
            return true;
        }
        loss.silent = afterLoss != AfterLoss.CONTINUE;
        fault().act(flow.connection());
        if (afterLoss == AfterLoss.CUT) {
            // Replies to earlier requests must arrive.
            flow.flush();
            flow.pair().cut();
        }
        return false;
    }

    @Override
    void ending(Flow flow, ProxiedMessage end) {
        Loss loss = losses.get(flow.pair());
        if (flow.direction() == Direction.TO_CLIENT && loss != null && loss.silent) {
            end.waitFor(fault());
        }
    }

    @Override
    void forget(SocketPair pair) {
        choice.forget(pair);
        losses.remove(pair);
    }

    private void recordRequest(Flow flow, ProxiedMessage message) {
        if (message.part() != Framing.Part.ASIDE && choice.takes(flow, message)) {
            losses.computeIfAbsent(flow.pair(), pair -> new Loss())
                    .replies
                    .add(flow.pair().replyTo(message));
        }
    }
}
