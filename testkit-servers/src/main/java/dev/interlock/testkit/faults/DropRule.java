package dev.interlock.testkit.faults;

/**
 * Messages are dropped. The end of a dropped flow is delivered when the fault is healed, so that no socket stays half
 * open for ever.
 */
final class DropRule extends Rule {
    private final Choice choice;

    DropRule(Fault fault, Choice choice) {
        super(fault);
        this.choice = choice;
    }

    @Override
    boolean passes(Flow flow, ProxiedMessage message) {
        boolean dropped = choice.takes(flow, message);
        if (dropped) {
            fault().act(flow.connection());
        }
        return !dropped;
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
