package dev.interlock.testkit.workers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One connection to a resource: sends a request and waits for the answer.
 *
 * <p>A call that throws {@link UncheckedIOException} may or may not have taken effect, and the connection is no longer
 * usable. For one thread at a time.
 *
 * @since 0.1.0
 */
public final class ResourceClient implements AutoCloseable {
    private static final WriterIdentity NO_HOLDER = new WriterIdentity(0, 0, 0);

    private final SocketChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(ResourceRequest.MAX_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(ResourceRequest.ANSWER_BYTES);

    private ResourceClient(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects to the resource on this loopback port. */
    public static ResourceClient connect(int port) {
        try {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new ResourceClient(channel);
        } catch (IOException e) {
            throw new UncheckedIOException("The resource on port " + port + " cannot be reached", e);
        }
    }

    /** Shows the token before the first read; from then on the resource rejects smaller ones. */
    public ResourceAnswer raise(String key, WriterIdentity identity) {
        return ask(new ResourceRequest(ResourceRequest.Kind.RAISE, key, identity, 0, 0));
    }

    /** Reads the value. */
    public ResourceAnswer read(String key, WriterIdentity identity) {
        return ask(new ResourceRequest(ResourceRequest.Kind.READ, key, identity, 0, 0));
    }

    /** Writes a value that was derived from a base, unless the token is stale. */
    public ResourceAnswer write(String key, WriterIdentity identity, long base, long value) {
        return ask(new ResourceRequest(ResourceRequest.Kind.WRITE, key, identity, base, value));
    }

    /** Reads the value without a record in the log. */
    public ResourceAnswer inspect(String key) {
        return ask(new ResourceRequest(ResourceRequest.Kind.LOOK, key, NO_HOLDER, 0, 0));
    }

    /** The resource's {@code System.nanoTime()}. */
    long clock() {
        return ask(new ResourceRequest(ResourceRequest.Kind.CLOCK, "", NO_HOLDER, 0, 0))
                .value();
    }

    private ResourceAnswer ask(ResourceRequest request) {
        try {
            out.clear();
            request.writeTo(out);
            out.flip();
            while (out.hasRemaining()) {
                channel.write(out);
            }
            in.clear();
            while (in.hasRemaining()) {
                if (channel.read(in) < 0) {
                    throw new IOException("the connection was closed");
                }
            }
            in.flip();
            return new ResourceAnswer(in.get() == 1, in.getLong(), in.getLong());
        } catch (IOException e) {
            close();
            throw new UncheckedIOException("The resource did not answer: " + e.getMessage(), e);
        }
    }

    @Override
    public void close() {
        try {
            channel.close();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
