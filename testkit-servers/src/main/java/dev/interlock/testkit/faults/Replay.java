package dev.interlock.testkit.faults;

import java.io.IOException;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SelectionKey;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * A request that is sent again, on a connection of its own without faults.
 *
 * <p>It ends when the server has replied, and no client receives the reply. Used only by the proxy's thread, except for
 * {@link #answer()}.
 */
final class Replay {
    /** How long to wait for the reply. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Switchboard switchboard;
    private final Consumer<Replay> whenClosed;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    private final ByteBuffer bytes;
    private final Framing.Splitter replies;
    private final Assembly assembly;
    private long repliesAhead;
    private @Nullable SocketChannel server;

    Replay(Switchboard switchboard, SentRequest request, Consumer<Replay> whenClosed) {
        this.switchboard = switchboard;
        this.whenClosed = whenClosed;
        List<byte[]> messages = new ArrayList<>(request.opening());
        messages.addAll(request.messages());
        this.bytes = joined(messages);
        this.replies = switchboard.framing().splitter(Direction.TO_CLIENT);
        this.assembly = new Assembly(replies);
        this.repliesAhead = switchboard.framing().pairsReplies() ? requestsIn(messages) - 1 : 0;
    }

    /** The first message of the server's reply; failed if the connection ended without one. */
    CompletableFuture<byte[]> answer() {
        return answer;
    }

    void start() {
        try {
            SocketChannel channel = SocketChannel.open();
            server = channel;
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            switchboard.loop().register(channel, SelectionKey.OP_CONNECT, key -> ready(key, channel));
            channel.connect(switchboard.target());
            switchboard.loop().at(System.nanoTime() + PATIENCE_NANOS, this::close);
        } catch (IOException unreachable) {
            fail(unreachable);
        }
    }

    void close() {
        if (server != null) {
            SocketPair.closeQuietly(server);
        }
        answer.completeExceptionally(new IOException("The server did not reply"));
        whenClosed.accept(this);
    }

    private void ready(SelectionKey key, SocketChannel channel) {
        try {
            if (key.isConnectable()) {
                channel.finishConnect();
            } else if (key.isReadable() && !read(channel)) {
                close();
                return;
            }
            channel.write(bytes);
            key.interestOps(SelectionKey.OP_READ | (bytes.hasRemaining() ? SelectionKey.OP_WRITE : 0));
        } catch (IOException broken) {
            fail(broken);
        }
    }

    /** Returns whether there is more to read. */
    private boolean read(SocketChannel channel) throws IOException {
        ByteBuffer buffer = switchboard.loop().buffer();
        int length = channel.read(buffer);
        if (length > 0) {
            byte[] read = new byte[length];
            buffer.flip().get(read);
            assembly.add(read, this::arrive);
        }
        return length >= 0 && !answer.isDone();
    }

    private void arrive(byte[] message) {
        if (replies.part(message) == Framing.Part.FIRST && repliesAhead-- == 0) {
            answer.complete(message);
        }
    }

    private void fail(IOException cause) {
        answer.completeExceptionally(cause);
        close();
    }

    private long requestsIn(List<byte[]> messages) {
        Framing.Splitter requests = switchboard.framing().splitter(Direction.TO_SERVER);
        return messages.stream()
                .filter(message -> requests.part(message) == Framing.Part.FIRST)
                .count();
    }

    private static ByteBuffer joined(List<byte[]> messages) {
        ByteBuffer all =
                ByteBuffer.allocate(messages.stream().mapToInt(m -> m.length).sum());
        messages.forEach(all::put);
        return all.flip();
    }
}
