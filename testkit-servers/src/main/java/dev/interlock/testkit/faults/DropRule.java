package dev.interlock.testkit.faults;

/** Messages vanish. The end of a silenced flow waits until healing, so that no socket stays half dead for ever. */
final class DropRule extends Rule {
    private final Choice choice;

    DropRule(Fault fault, Choice choice) {
        super(fault);
        this.choice = choice;
    }

    @Override
    boolean passes(Flow flow, Message message) {
        boolean dropped = choice.takes(flow, message);
        if (dropped) {
            fault().act(flow.connection());
        }
        return !dropped;
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
