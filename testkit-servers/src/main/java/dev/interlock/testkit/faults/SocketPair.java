package dev.interlock.testkit.faults;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * The two sockets of one connection and the flows between them.
 *
 * <p>It closes when both flows are done, so bytes that are held for the server survive a client that has gone. Used
 * only by the proxy's thread.
 */
final class SocketPair {
    private static final int MAX_OPENING_MESSAGES = 16;

    private final Switchboard switchboard;
    private final ProxiedConnection connection;
    private final SocketChannel client;
    private final SocketChannel server;
    private final Flow toServer;
    private final Flow toClient;
    private final List<byte[]> opening = new ArrayList<>();
    private SentRequest request = new SentRequest(List.of());
    private long requestsPassed;
    private @Nullable SelectionKey clientKey;
    private @Nullable SelectionKey serverKey;
    private boolean clientGone;
    private volatile boolean open = true;

    SocketPair(Switchboard switchboard, ProxiedConnection connection, SocketChannel client, SocketChannel server) {
        this.switchboard = switchboard;
        this.connection = connection;
        this.client = client;
        this.server = server;
        this.toServer = new Flow(this, Direction.TO_SERVER, client, server, switchboard.framing());
        this.toClient = new Flow(this, Direction.TO_CLIENT, server, client, switchboard.framing());
    }

    /** Starts to connect to the server and to read from the client. */
    void open() {
        try {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            serverKey = loop().register(server, SelectionKey.OP_CONNECT, this::serverReady);
            clientKey = loop().register(client, 0, this::clientReady);
            server.connect(switchboard.target());
        } catch (IOException unreachable) {
            reset();
        }
        refreshInterest();
    }

    ProxiedConnection connection() {
        return connection;
    }

    Loop loop() {
        return switchboard.loop();
    }

    Flow flow(Direction direction) {
        return direction == Direction.TO_SERVER ? toServer : toClient;
    }

    /** The rules of the proxy, then those of this connection. */
    List<Rule> rules() {
        List<Rule> own = connection.ruleList();
        if (own.isEmpty()) {
            return switchboard.rules();
        }
        List<Rule> all = new ArrayList<>(switchboard.rules());
        all.addAll(own);
        return all;
    }

    boolean isOpen() {
        return open;
    }

    /** Whether it is open and connected to the server. */
    boolean isUsable() {
        return open && server.isConnected();
    }

    void recordArrival(Flow flow, ProxiedMessage message) {
        if (flow != toServer) {
            return;
        }
        if (message.part() != Framing.Part.MORE) {
            request = new SentRequest(List.copyOf(opening));
        }
        request.add(message.bytes());
        if (opening.size() < MAX_OPENING_MESSAGES && switchboard.framing().opens(message.bytes())) {
            opening.add(message.bytes());
        }
    }

    void recordPassed(Flow flow, ProxiedMessage message) {
        requestsPassed += flow == toServer && message.part() == Framing.Part.FIRST ? 1 : 0;
    }

    /** The request whose messages are arriving. */
    SentRequest request() {
        return request;
    }

    /** The number of the reply to a request; only requests that are passed on to the server count. */
    long replyTo(ProxiedMessage message) {
        if (!switchboard.framing().pairsReplies()) {
            return toClient.units() + 1;
        }
        return message.part() == Framing.Part.FIRST ? requestsPassed + 1 : requestsPassed;
    }

    /** Closes the client's side after the current step. Bytes in transit to the server are still delivered. */
    void closeClientSide() {
        if (!clientGone) {
            clientGone = true;
            loop().post(() -> switchboard.guarded(this, () -> {
                closeQuietly(client);
                toClient.loseSink();
                toServer.endSource(ProxiedMessage.Ending.FIN);
            }));
        }
    }

    void cut() {
        if (open) {
            open = false;
            closeQuietly(client);
            closeQuietly(server);
            switchboard.closed(this);
        }
    }

    void reset() {
        if (open) {
            resetOnClose(client);
            resetOnClose(server);
            cut();
        }
    }

    /** The source of this flow was reset, so it accepts nothing more from the other flow either. */
    void lost(Flow flow) {
        if (open) {
            (flow == toServer ? toClient : toServer).loseSink();
        }
    }

    void closeIfDone() {
        if (toServer.isDone() && toClient.isDone()) {
            cut();
        }
    }

    void refreshInterest() {
        if (clientKey == null || serverKey == null || !open) {
            return;
        }
        set(clientKey, toServer, toClient);
        if (server.isConnected()) {
            set(serverKey, toClient, toServer);
        }
    }

    private static void set(SelectionKey key, Flow from, Flow into) {
        int operations =
                (from.wantsToRead() ? SelectionKey.OP_READ : 0) | (into.wantsToWrite() ? SelectionKey.OP_WRITE : 0);
        if (key.isValid() && key.interestOps() != operations) {
            key.interestOps(operations);
        }
    }

    private void clientReady(SelectionKey key) {
        switchboard.guarded(this, () -> exchange(key, toServer, toClient));
    }

    private void serverReady(SelectionKey key) {
        switchboard.guarded(this, () -> {
            if (key.isConnectable()) {
                finishConnecting();
            } else {
                exchange(key, toClient, toServer);
            }
        });
    }

    private void exchange(SelectionKey key, Flow from, Flow into) {
        int ready = key.readyOps();
        if ((ready & SelectionKey.OP_WRITE) != 0) {
            into.flush();
        }
        if ((ready & SelectionKey.OP_READ) != 0 && open && key.isValid()) {
            from.read(loop().buffer());
        }
    }

    private void finishConnecting() {
        try {
            server.finishConnect();
            toServer.flush();
        } catch (IOException unreachable) {
            reset();
        }
    }

    static void resetOnClose(SocketChannel channel) {
        try {
            channel.setOption(StandardSocketOptions.SO_LINGER, 0);
        } catch (IOException alreadyClosed) {
            // There is nothing left to reset.
        }
    }

    static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // The connection is unusable in both directions.
        }
    }
}
