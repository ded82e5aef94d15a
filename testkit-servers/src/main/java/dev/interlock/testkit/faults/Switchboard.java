package dev.interlock.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.channels.SelectionKey;
import java.nio.channels.ServerSocketChannel;
import java.nio.channels.SocketChannel;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/**
 * What the connections of one proxy share: the port, the target, the rules.
 *
 * <p>Only the proxy's thread changes it; the constructor and what is volatile or concurrent are for all.
 */
final class Switchboard {
    private static final int BACKLOG = 512;

    private final Loop loop;
    private final Framing framing;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Set<Wire> wires = new LinkedHashSet<>();
    private final Set<Replay> replays = new LinkedHashSet<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Consumer<SocketChannel> receiver;
    private final InetSocketAddress endpoint;
    private volatile InetSocketAddress target;
    private @Nullable ServerSocketChannel listener;

    /** Listens; the receiver gets each new client on the proxy's thread. */
    Switchboard(InetSocketAddress target, Framing framing, Consumer<SocketChannel> receiver) {
        this.target = target;
        this.framing = framing;
        this.receiver = receiver;
        try {
            ServerSocketChannel first = bind(0);
            this.endpoint = (InetSocketAddress) first.getLocalAddress();
            this.loop = new Loop("fault-proxy-" + endpoint.getPort(), this::failed);
            this.listener = first;
            loop.register(first, SelectionKey.OP_ACCEPT, this::accept);
        } catch (IOException failed) {
            throw new UncheckedIOException("Cannot listen on a loopback port", failed);
        }
        loop.start();
    }

    Loop loop() {
        return loop;
    }

    Framing framing() {
        return framing;
    }

    List<Rule> rules() {
        return rules;
    }

    InetSocketAddress endpoint() {
        return endpoint;
    }

    InetSocketAddress target() {
        return target;
    }

    void retarget(InetSocketAddress to) {
        target = to;
    }

    /** The connections that are open now. */
    List<Wire> wires() {
        return List.copyOf(wires);
    }

    void opened(Wire wire) {
        wires.add(wire);
    }

    void closed(Wire wire) {
        wires.remove(wire);
        wire.rules().forEach(rule -> rule.forget(wire));
        wire.connection().closed();
    }

    Replay replay(SentRequest request) {
        Replay replay = new Replay(this, request, replays::remove);
        replays.add(replay);
        replay.start();
        return replay;
    }

    /** From now on the operating system refuses connections. */
    void stopListening() {
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException failed) {
                throw new UncheckedIOException("Cannot close port " + endpoint.getPort(), failed);
            }
            listener = null;
            loop.letGoOfClosed();
        }
    }

    void listenAgain() {
        if (listener != null || loop.isClosed()) {
            return;
        }
        try {
            listener = bind(endpoint.getPort());
            loop.register(listener, SelectionKey.OP_ACCEPT, this::accept);
        } catch (IOException failed) {
            throw new UncheckedIOException("Cannot listen on port " + endpoint.getPort() + " again", failed);
        }
    }

    /** Runs what calls code of the test: if that fails, so does the connection, and closing the proxy tells. */
    void guarded(Wire wire, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error failed) {
            failed(failed);
            wire.reset();
        }
    }

    @Nullable
    Throwable failure() {
        return failure.get();
    }

    void close() {
        if (loop.isClosed()) {
            return;
        }
        loop.call(() -> {
            stopListening();
            wires().forEach(Wire::cut);
            List.copyOf(replays).forEach(Replay::close);
            return true;
        });
        loop.close();
    }

    private void accept(SelectionKey key) {
        try {
            for (SocketChannel client = acceptNext(key); client != null; client = acceptNext(key)) {
                receiver.accept(client);
            }
        } catch (IOException failed) {
            failed(failed);
        }
    }

    private void failed(Throwable first) {
        failure.compareAndSet(null, first);
    }

    private static @Nullable SocketChannel acceptNext(SelectionKey key) throws IOException {
        // A hook may close the port while it is being told of a connection.
        return key.isValid() ? ((ServerSocketChannel) key.channel()).accept() : null;
    }

    private static ServerSocketChannel bind(int port) throws IOException {
        ServerSocketChannel channel = ServerSocketChannel.open();
        try {
            return channel.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), port), BACKLOG);
        } catch (IOException failed) {
            channel.close();
            throw failed;
        }
    }
}
