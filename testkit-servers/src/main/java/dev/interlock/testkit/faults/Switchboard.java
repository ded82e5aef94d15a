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
 * <p>Changed only by the proxy's thread. Any thread may use the constructor and the volatile or concurrent fields.
 */
final class Switchboard {
    private static final int BACKLOG = 512;

    private final Loop loop;
    private final Framing framing;
    private final List<Rule> rules = new CopyOnWriteArrayList<>();
    private final Set<SocketPair> pairs = new LinkedHashSet<>();
    private final Set<Replay> replays = new LinkedHashSet<>();
    private final AtomicReference<@Nullable Throwable> failure = new AtomicReference<>();
    private final Consumer<SocketChannel> receiver;
    private final InetSocketAddress endpoint;
    private volatile InetSocketAddress target;
    private @Nullable ServerSocketChannel listener;

    /** Listens on the port. The receiver gets each new client on the proxy's thread. */
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

    /** The open connections. */
    List<SocketPair> pairs() {
        return List.copyOf(pairs);
    }

    void opened(SocketPair pair) {
        pairs.add(pair);
    }

    void closed(SocketPair pair) {
        pairs.remove(pair);
        pair.rules().forEach(rule -> rule.forget(pair));
        pair.connection().closed();
    }

    Replay replay(SentRequest request) {
        Replay replay = new Replay(this, request, replays::remove);
        replays.add(replay);
        replay.start();
        return replay;
    }

    /** Closes the port, so that the operating system refuses connections. */
    void stopListening() {
        if (listener != null) {
            try {
                listener.close();
            } catch (IOException failed) {
                throw new UncheckedIOException("Cannot close port " + endpoint.getPort(), failed);
            }
            listener = null;
            loop.freeClosedChannels();
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

    /** Runs code of the test. If it throws, its connection is reset and closing the proxy throws. */
    void guarded(SocketPair pair, Runnable work) {
        try {
            work.run();
        } catch (RuntimeException | Error failed) {
            failed(failed);
            pair.reset();
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
            pairs().forEach(SocketPair::cut);
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
        // A hook may close the port while it handles a connection.
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
