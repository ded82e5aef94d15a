package dev.interlock.testkit.workers;

import dev.interlock.testkit.history.ResourceRecorder;
import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.Selector;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * The server of the resource. One thread processes the requests of all connections, so the order of its log is the
 * order of effects.
 *
 * <p>An effect is logged before it is answered. A killed client loses its connection and nothing else.
 */
final class ResourceServer {
    private final Map<String, FencedCell> cells = new HashMap<>();
    private final ServerSocketChannel server;
    private final Selector selector;
    private final ResourceRecorder recorder;
    private final boolean fenced;

    ResourceServer(ServerSocketChannel server, ResourceRecorder recorder, boolean fenced) throws IOException {
        this.server = server;
        this.recorder = recorder;
        this.fenced = fenced;
        selector = Selector.open();
        server.configureBlocking(false);
        server.register(selector, SelectionKey.OP_ACCEPT);
    }

    /** Serves until the process ends. */
    void serve() throws IOException {
        while (true) {
            selector.select(this::serve);
        }
    }

    private void serve(SelectionKey key) {
        Object connection = key.attachment();
        try {
            if (connection == null) {
                accept();
            } else if (!((Connection) connection).serve(key)) {
                key.channel().close();
            }
        } catch (IOException | IllegalArgumentException e) {
            System.err.println("A connection is closed: " + e.getMessage());
            close(key);
        }
    }

    private void accept() throws IOException {
        SocketChannel channel = server.accept();
        if (channel != null) {
            channel.configureBlocking(false);
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            channel.register(selector, SelectionKey.OP_READ, new Connection(channel));
        }
    }

    private static void close(SelectionKey key) {
        try {
            key.channel().close();
        } catch (IOException e) {
            key.cancel();
        }
    }

    private void answer(ResourceRequest request, ByteBuffer out) {
        if (request.kind() == ResourceRequest.Kind.CLOCK) {
            out.put((byte) 1).putLong(System.nanoTime()).putLong(0);
            return;
        }
        FencedCell cell = cells.computeIfAbsent(request.key(), key -> new FencedCell(fenced));
        boolean accepted = process(request, cell);
        out.put((byte) (accepted ? 1 : 0)).putLong(cell.value()).putLong(cell.fence());
    }

    private boolean process(ResourceRequest request, FencedCell cell) {
        WriterIdentity by = request.identity();
        long prior = cell.fence();
        boolean accepted = switch (request.kind()) {
            case RAISE -> cell.raise(by);
            case WRITE -> cell.write(by, request.value());
            default -> true;
        };
        switch (request.kind()) {
            case RAISE -> recorder.raised(request.key(), by.attempt(), by.owner(), by.token(), prior, accepted);
            case READ -> recorder.read(request.key(), by.attempt(), by.owner(), by.token(), cell.value(), prior);
            case WRITE ->
                recorder.wrote(
                        request.key(),
                        by.attempt(),
                        by.owner(),
                        by.token(),
                        request.base(),
                        request.value(),
                        prior,
                        accepted);
            default -> {}
        }
        return accepted;
    }

    /** One client; requests are answered in order. */
    private final class Connection {
        private final SocketChannel channel;
        private final ByteBuffer in = ByteBuffer.allocateDirect(16 * ResourceRequest.MAX_BYTES);
        private final ByteBuffer out = ByteBuffer.allocateDirect(256 * ResourceRequest.ANSWER_BYTES);

        Connection(SocketChannel channel) {
            this.channel = channel;
        }

        /** Processes what has arrived; returns false if the client has gone. */
        boolean serve(SelectionKey key) throws IOException {
            if (key.isReadable() && channel.read(in) < 0) {
                return false;
            }
            boolean stuck;
            do {
                processArrived();
                out.flip();
                channel.write(out);
                stuck = out.hasRemaining();
                out.compact();
            } while (!stuck && hasWholeRequest());
            // A client that does not read its answers is not read from either.
            key.interestOps(stuck ? SelectionKey.OP_WRITE : SelectionKey.OP_READ);
            return true;
        }

        private void processArrived() {
            in.flip();
            while (out.remaining() >= ResourceRequest.ANSWER_BYTES) {
                @Nullable ResourceRequest request = ResourceRequest.readFrom(in);
                if (request == null) {
                    break;
                }
                answer(request, out);
            }
            in.compact();
        }

        private boolean hasWholeRequest() {
            return in.position() >= Short.BYTES && in.position() - Short.BYTES >= in.getShort(0);
        }
    }
}
