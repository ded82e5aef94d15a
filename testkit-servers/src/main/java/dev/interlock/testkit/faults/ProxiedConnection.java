package dev.interlock.testkit.faults;

import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;

/**
 * One client's connection through a {@link FaultProxy}. Faults injected here affect no other connection.
 *
 * <p>Its figures stay readable after it has closed. Thread-safe.
 *
 * @since 0.1.0
 */
public final class ProxiedConnection extends FaultPoint {
    private final FaultProxy proxy;
    private final int number;
    private final int clientPort;
    private final SocketPair pair;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final AwaitableCounter closings = new AwaitableCounter();

    ProxiedConnection(FaultProxy proxy, int number, int clientPort, SocketChannel client, SocketChannel server) {
        this.proxy = proxy;
        this.number = number;
        this.clientPort = clientPort;
        this.pair = new SocketPair(proxy.switchboard(), this, client, server);
    }

    /** Its number among all connections that the proxy accepted, from 1. */
    public int number() {
        return number;
    }

    /** The port from which the client connected. */
    public int clientPort() {
        return clientPort;
    }

    /** Whether it is open in at least one direction, or the proxy still holds bytes for the server. */
    public boolean isOpen() {
        return pair.isOpen();
    }

    /** How many bytes the sender of this direction has sent, delivered or not. */
    public long received(Direction direction) {
        return proxy.settled(pair.flow(direction)::received);
    }

    /** How many bytes were delivered to the receiver of this direction. */
    public long delivered(Direction direction) {
        return proxy.settled(pair.flow(direction)::delivered);
    }

    /** How many messages the sender has sent; with raw framing, how many reads. */
    public long messages(Direction direction) {
        return proxy.settled(pair.flow(direction)::messages);
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
    List<SocketPair> pairs() {
        return isOpen() ? List.of(pair) : List.of();
    }

    @Override
    void count(FaultKind kind) {
        super.count(kind);
        proxy.count(kind);
    }

    SocketPair pair() {
        return pair;
    }

    void closed() {
        closings.add();
    }
}
