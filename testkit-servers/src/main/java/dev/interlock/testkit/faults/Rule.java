package dev.interlock.testkit.faults;

/**
 * What one fault does to the traffic. Only the proxy's thread calls it. A rule counts before it acts, so that whoever sees the
 * effect also sees the count.
 *
 * <p>A flow asks the rules of the whole proxy, then those of its connection, each in the order of their injection. What one
 * rule drops, the next does not see.
 */
abstract class Rule {
    private final Fault fault;

    Rule(Fault fault) {
        this.fault = fault;
    }

    final Fault fault() {
        return fault;
    }

    /** Asked for each message as it comes in: whether it goes on. The rule may also delay or hold it. */
    boolean passes(Flow flow, Message message) {
        return true;
    }

    /** Told when the source of a flow has ended; the rule may delay or hold the end. */
    void ending(Flow flow, Message end) {}

    /** How many bytes may be written now. A rule that says 0 lets the flow flush again when it is time. */
    long allowance(Flow flow) {
        return Long.MAX_VALUE;
    }

    /** Told what was written. */
    void wrote(Flow flow, long bytes) {}

    /** A connection has closed: what was remembered about it can go. */
    void forget(Wire wire) {}
}
