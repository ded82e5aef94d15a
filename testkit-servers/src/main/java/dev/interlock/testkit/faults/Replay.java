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
 * A request that is sent once more, on a connection of its own that no fault touches.
 *
 * <p>It ends when the server has answered the request, and nobody's client hears the answer. Only the proxy's thread uses it, but
 * for {@link #answer()}.
 */
final class Replay {
    /** A server that does not answer is not waited for any longer. */
    private static final long PATIENCE_NANOS = Duration.ofSeconds(10).toNanos();

    private final Switchboard board;
    private final Consumer<Replay> whenClosed;
    private final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    private final ByteBuffer bytes;
    private final Framing.Splitter replies;
    private final Assembly assembly;
    private long repliesAhead;
    private @Nullable SocketChannel server;

    Replay(Switchboard board, SentRequest request, Consumer<Replay> whenClosed) {
        this.board = board;
        this.whenClosed = whenClosed;
        List<byte[]> messages = new ArrayList<>(request.opening());
        messages.addAll(request.messages());
        this.bytes = joined(messages);
        this.replies = board.framing().splitter(Direction.TO_CLIENT);
        this.assembly = new Assembly(replies);
        this.repliesAhead = board.framing().pairsReplies() ? requestsIn(messages) - 1 : 0;
    }

    /** The first message of the server's answer; failed if the connection ended without one. */
    CompletableFuture<byte[]> answer() {
        return answer;
    }

    void start() {
        try {
            SocketChannel channel = SocketChannel.open();
            server = channel;
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            board.loop().register(channel, SelectionKey.OP_CONNECT, key -> ready(key, channel));
            channel.connect(board.target());
            board.loop().at(System.nanoTime() + PATIENCE_NANOS, this::close);
        } catch (IOException unreachable) {
            fail(unreachable);
        }
    }

    void close() {
        if (server != null) {
            Wire.closeQuietly(server);
        }
        answer.completeExceptionally(new IOException("The server gave no answer"));
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

    /** Whether there is more to come. */
    private boolean read(SocketChannel channel) throws IOException {
        ByteBuffer buffer = board.loop().buffer();
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
        Framing.Splitter requests = board.framing().splitter(Direction.TO_SERVER);
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
