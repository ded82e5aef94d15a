package dev.interlock.testkit.faults;

/**
 * Messages wait until the fault is healed, and everything behind them in the same flow waits too, as in TCP.
 *
 * <p>If the client closes in that time, the server's side of the connection stays open as long as messages wait for it.
 */
final class HoldRule extends Rule {
    private final Choice choice;
    private final boolean hangUp;

    HoldRule(Fault fault, Choice choice, boolean hangUp) {
        super(fault);
        this.choice = choice;
        this.hangUp = hangUp;
    }

    @Override
    boolean passes(Flow flow, ProxiedMessage message) {
        if (choice.takes(flow, message)) {
            message.waitFor(fault());
            if (hangUp) {
                flow.pair().closeClientSide();
            }
            fault().act(flow.connection());
        }
        return true;
    }

    @Override
    void ending(Flow flow, ProxiedMessage end) {
        if (choice.takesEnd(flow)) {
            end.waitFor(fault());
        }
    }

    @Override
    void forget(SocketPair pair) {
        choice.forget(pair);
    }
}
