package dev.interlock.testkit.faults;

import java.util.function.BiConsumer;

/** Passes each matching request on, and also to a receiver that sends it again. */
final class ReplayRule extends Rule {
    private final Choice choice;
    private final BiConsumer<ProxiedConnection, SentRequest> receiver;

    ReplayRule(Fault fault, Matching request, BiConsumer<ProxiedConnection, SentRequest> receiver) {
        super(fault);
        this.choice = Choice.of(request);
        this.receiver = receiver;
    }

    @Override
    boolean passes(Flow flow, ProxiedMessage message) {
        if (choice.takesFirst(flow, message)) {
            receiver.accept(flow.connection(), flow.pair().request());
        }
        return true;
    }

    @Override
    void forget(SocketPair pair) {
        choice.forget(pair);
    }
}
