package dev.interlock.testkit.faults;

/**
 * The effect of one fault on the traffic. Called only by the proxy's thread. A rule counts before it acts, so a test
 * that sees the effect also sees the count.
 *
 * <p>A flow applies the rules of the proxy, then those of its connection, each in the order of their injection. A
 * message that one rule drops does not reach the next rule.
 */
abstract class Rule {
    private final Fault fault;

    Rule(Fault fault) {
        this.fault = fault;
    }

    final Fault fault() {
        return fault;
    }

    /** Called for each message that arrives; returns whether it passes. The rule may also delay or hold it. */
    boolean passes(Flow flow, ProxiedMessage message) {
        return true;
    }

    /** Called when the source of a flow has ended. The rule may delay or hold the end. */
    void ending(Flow flow, ProxiedMessage end) {}

    /** How many bytes may be written now. A rule that returns 0 flushes the flow again when it is time. */
    long allowance(Flow flow) {
        return Long.MAX_VALUE;
    }

    /** Called after bytes were written. */
    void wrote(Flow flow, long bytes) {}

    /** Called when a connection has closed, so that the rule can drop its state. */
    void forget(SocketPair pair) {}
}
