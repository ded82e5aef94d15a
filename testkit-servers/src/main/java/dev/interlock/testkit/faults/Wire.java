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
 * <p>It closes when both flows are done, so a client that is gone does not take away what is still held for the server. Only the
 * proxy's thread uses it.
 */
final class Wire {
    private static final int MAX_OPENING_MESSAGES = 16;

    private final Switchboard board;
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

    Wire(Switchboard board, ProxiedConnection connection, SocketChannel client, SocketChannel server) {
        this.board = board;
        this.connection = connection;
        this.client = client;
        this.server = server;
        this.toServer = new Flow(this, Direction.TO_SERVER, client, server, board.framing());
        this.toClient = new Flow(this, Direction.TO_CLIENT, server, client, board.framing());
    }

    /** Starts to connect to the server and to read from the client. */
    void open() {
        try {
            client.setOption(StandardSocketOptions.TCP_NODELAY, true);
            server.setOption(StandardSocketOptions.TCP_NODELAY, true);
            serverKey = loop().register(server, SelectionKey.OP_CONNECT, this::serverReady);
            clientKey = loop().register(client, 0, this::clientReady);
            server.connect(board.target());
        } catch (IOException unreachable) {
            reset();
        }
        refreshInterest();
    }

    ProxiedConnection connection() {
        return connection;
    }

    Loop loop() {
        return board.loop();
    }

    Flow flow(Direction direction) {
        return direction == Direction.TO_SERVER ? toServer : toClient;
    }

    /** Those of the whole proxy, then those of this connection. */
    List<Rule> rules() {
        List<Rule> own = connection.ruleList();
        if (own.isEmpty()) {
            return board.rules();
        }
        List<Rule> all = new ArrayList<>(board.rules());
        all.addAll(own);
        return all;
    }

    boolean isOpen() {
        return open;
    }

    /** Open, and connected to the server. */
    boolean isUsable() {
        return open && server.isConnected();
    }

    void noteArrival(Flow flow, Message message) {
        if (flow != toServer) {
            return;
        }
        if (message.part() != Framing.Part.MORE) {
            request = new SentRequest(List.copyOf(opening));
        }
        request.add(message.bytes());
        if (opening.size() < MAX_OPENING_MESSAGES && board.framing().opens(message.bytes())) {
            opening.add(message.bytes());
        }
    }

    void notePassed(Flow flow, Message message) {
        requestsPassed += flow == toServer && message.part() == Framing.Part.FIRST ? 1 : 0;
    }

    /** The request whose messages are coming in. */
    SentRequest request() {
        return request;
    }

    /** The number of the reply that a request will get; only those count that are sent on to the server. */
    long replyTo(Message message) {
        if (!board.framing().pairsReplies()) {
            return toClient.units() + 1;
        }
        return message.part() == Framing.Part.FIRST ? requestsPassed + 1 : requestsPassed;
    }

    /** Closes the client's side after what is being done now; what is on its way to the server stays there. */
    void hangUpClient() {
        if (!clientGone) {
            clientGone = true;
            loop().post(() -> board.guarded(this, () -> {
                closeQuietly(client);
                toClient.loseSink();
                toServer.endSource(Message.Ending.FIN);
            }));
        }
    }

    void cut() {
        if (open) {
            open = false;
            closeQuietly(client);
            closeQuietly(server);
            board.closed(this);
        }
    }

    void reset() {
        if (open) {
            resetOnClose(client);
            resetOnClose(server);
            cut();
        }
    }

    /** The source of this flow was reset, so it also takes nothing more from the other flow. */
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
        board.guarded(this, () -> exchange(key, toServer, toClient));
    }

    private void serverReady(SelectionKey key) {
        board.guarded(this, () -> {
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
            // Then there is nothing to reset.
        }
    }

    static void closeQuietly(SocketChannel channel) {
        try {
            channel.close();
        } catch (IOException ignored) {
            // It is of no more use either way.
        }
    }
}
