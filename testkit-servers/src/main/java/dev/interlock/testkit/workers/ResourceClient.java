package dev.interlock.testkit.workers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.StandardSocketOptions;
import java.nio.ByteBuffer;
import java.nio.channels.SocketChannel;

/**
 * One connection to a resource: asks and waits for the answer.
 *
 * <p>A call that throws {@link UncheckedIOException} may or may not have taken effect; the connection is then of no more use.
 * For one thread at a time.
 */
public final class ResourceClient implements AutoCloseable {
    private static final Bearer NOBODY = new Bearer(0, 0, 0);

    private final SocketChannel channel;
    private final ByteBuffer out = ByteBuffer.allocateDirect(ResourceRequest.MAX_BYTES);
    private final ByteBuffer in = ByteBuffer.allocateDirect(ResourceRequest.ANSWER_BYTES);

    private ResourceClient(SocketChannel channel) {
        this.channel = channel;
    }

    /** Connects to the resource on this port of the loopback interface. */
    public static ResourceClient connect(int port) {
        try {
            SocketChannel channel = SocketChannel.open(new InetSocketAddress(InetAddress.getLoopbackAddress(), port));
            channel.setOption(StandardSocketOptions.TCP_NODELAY, true);
            return new ResourceClient(channel);
        } catch (IOException e) {
            throw new UncheckedIOException("The resource on port " + port + " cannot be reached", e);
        }
    }

    /** Shows the token before anything is read; from now on the resource refuses smaller ones. */
    public ResourceAnswer raise(String key, Bearer bearer) {
        return ask(new ResourceRequest(ResourceRequest.Kind.RAISE, key, bearer, 0, 0));
    }

    /** Reads the value. */
    public ResourceAnswer read(String key, Bearer bearer) {
        return ask(new ResourceRequest(ResourceRequest.Kind.READ, key, bearer, 0, 0));
    }

    /** Writes a value that was made from a base, unless the token is stale. */
    public ResourceAnswer write(String key, Bearer bearer, long base, long value) {
        return ask(new ResourceRequest(ResourceRequest.Kind.WRITE, key, bearer, base, value));
    }

    /** Reads the value without leaving a trace. */
    public ResourceAnswer look(String key) {
        return ask(new ResourceRequest(ResourceRequest.Kind.LOOK, key, NOBODY, 0, 0));
    }

    /** The resource's {@code System.nanoTime()}. */
    long clock() {
        return ask(new ResourceRequest(ResourceRequest.Kind.CLOCK, "", NOBODY, 0, 0))
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
