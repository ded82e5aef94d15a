package dev.interlock.testkit.faults;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One client's connection through a {@link FaultProxy}; faults injected here touch no other.
 *
 * <p>Its figures stay readable after it has closed. Thread-safe.
 */
public final class ProxiedConnection extends Link {
    private final FaultProxy proxy;
    private final int number;
    private final int clientPort;
    private final Wire wire;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Tally closings = new Tally();

    ProxiedConnection(FaultProxy proxy, int number, int clientPort, SocketChannel client, SocketChannel server) {
        this.proxy = proxy;
        this.number = number;
        this.clientPort = clientPort;
        this.wire = new Wire(proxy.board(), this, client, server);
    }

    /** Its place in the order of all connections that the proxy accepted, from 1. */
    public int number() {
        return number;
    }

    /** The port from which the client connected. */
    public int clientPort() {
        return clientPort;
    }

    /** Whether it is open in at least one direction, or the proxy still holds something for the server. */
    public boolean isOpen() {
        return wire.isOpen();
    }

    /** How many bytes have come from the sender of this direction, whatever became of them. */
    public long received(Direction direction) {
        return proxy.settled(wire.flow(direction)::received);
    }

    /** How many bytes were handed to the receiver of this direction. */
    public long delivered(Direction direction) {
        return proxy.settled(wire.flow(direction)::delivered);
    }

    /** How many messages have come from the sender; with raw framing, how many reads. */
    public long messages(Direction direction) {
        return proxy.settled(wire.flow(direction)::messages);
    }

    /**
     * Waits until both sides are closed.
     *
     * @throws AssertionError if they are not within the patience
     */
    public void awaitClosed(Duration patience) {
        if (!closings.await(1, patience)) {
            throw new AssertionError(this + " did not close within " + patience);
        }
    }

    @Override
    public String toString() {
        return "Connection " + number + " from port " + clientPort + (isOpen() ? "" : ", closed");
    }

    @Override
    FaultProxy proxy() {
        return proxy;
    }

    @Override
    List<Rule> ruleList() {
        return rules;
    }

    @Override
    List<Wire> wires() {
        return isOpen() ? List.of(wire) : List.of();
    }

    @Override
    void count(FaultKind kind) {
        super.count(kind);
        proxy.count(kind);
    }

    Wire wire() {
        return wire;
    }

    void closed() {
        closings.add();
    }
}
