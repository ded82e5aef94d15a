package dev.interlock.testkit.faults;

/**
 * Messages wait until the fault is healed, and what comes behind them in the same flow waits with them, as in TCP.
 *
 * <p>The client may be gone by then: the server's side of the connection stays open as long as something waits for it.
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
    boolean passes(Flow flow, Message message) {
        if (choice.takes(flow, message)) {
            message.waitFor(fault());
            if (hangUp) {
                flow.wire().hangUpClient();
            }
            fault().act(flow.connection());
        }
        return true;
    }

    @Override
    void ending(Flow flow, Message end) {
        if (choice.takesEnd(flow)) {
            end.waitFor(fault());
        }
    }

    @Override
    void forget(Wire wire) {
        choice.forget(wire);
    }
}
