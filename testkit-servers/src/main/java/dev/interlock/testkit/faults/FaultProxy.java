package dev.interlock.testkit.faults;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.InetSocketAddress;
import java.nio.channels.SocketChannel;
import java.time.Duration;
import java.util.List;
import java.util.NoSuchElementException;
import java.util.Objects;
import java.util.Random;
import java.util.concurrent.ConcurrentSkipListMap;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import java.util.random.RandomGenerator;

/**
 * A TCP proxy on a loopback port that forwards to a server and injects network faults for a test.
 *
 * <pre>{@code
 * try (FaultProxy proxy = FaultProxy.to("localhost", 6379, Framing.resp())) {
 *     Client client = connectTo(proxy.port());
 *     try (Fault lost = proxy.cutBeforeReply(requestContaining("EVALSHA").nth(1))) {
 *         client.acquire();                      // the server granted it, and the client cannot know
 *         lost.awaitActed(ofSeconds(5));
 *     }
 * }
 * }</pre>
 *
 * <p>Invariants: without faults, bytes pass unchanged and in order, half-closed streams included; after {@link
 * #close()} the proxy has no thread and no socket. A client whose target cannot be reached is reset.
 *
 * <p>Thread-safe. One daemon thread does all the work. It also runs code of the test ({@link #onConnect}, predicates of
 * a {@link Matching}), which therefore must not block. If that code throws, its connection is reset and {@link
 * #close()} throws.
 *
 * @since 0.1.0
 */
public final class FaultProxy extends FaultPoint implements AutoCloseable {
    private static final long DEFAULT_SEED = 1;

    /** How many closed connections can still be found by number. */
    private static final int MAX_REMEMBERED = 10_000;

    private final Switchboard switchboard;
    private final Random random;
    private final List<Consumer<ProxiedConnection>> hooks = new CopyOnWriteArrayList<>();
    private final List<Fault> rejections = new CopyOnWriteArrayList<>();
    private final List<Fault> refusals = new CopyOnWriteArrayList<>();
    private final ConcurrentSkipListMap<Integer, ProxiedConnection> connections = new ConcurrentSkipListMap<>();
    private final AwaitableCounter accepted = new AwaitableCounter();

    private FaultProxy(InetSocketAddress target, Framing framing, long seed) {
        this.random = new Random(seed);
        this.switchboard = new Switchboard(target, framing, this::open);
    }

    /** Opens a proxy to this server that treats every read as a message. It forwards when this returns. */
    public static FaultProxy to(String host, int port) {
        return to(host, port, Framing.raw());
    }

    /** Opens a proxy to this server that knows its protocol. */
    public static FaultProxy to(String host, int port, Framing framing) {
        return to(host, port, framing, DEFAULT_SEED);
    }

    /** Opens a proxy to this server whose jitter and storms are derived from a seed. */
    public static FaultProxy to(String host, int port, Framing framing, long seed) {
        return new FaultProxy(resolved(host, port), Objects.requireNonNull(framing), seed);
    }

    /** The loopback port to connect to. It never changes. */
    public int port() {
        return switchboard.endpoint().getPort();
    }

    /** The loopback address and port to connect to. */
    public InetSocketAddress endpoint() {
        return switchboard.endpoint();
    }

    /** The server to which new connections are forwarded. */
    public InetSocketAddress target() {
        return switchboard.target();
    }

    /** Forwards new connections to another server. Open ones keep their server until they are {@link #cut()}. */
    public void retarget(String host, int port) {
        switchboard.retarget(resolved(host, port));
    }

    /**
     * Calls the hook for each new connection before its first byte is read, so that faults injected there affect all
     * its bytes.
     */
    public void onConnect(Consumer<ProxiedConnection> hook) {
        hooks.add(hook);
    }

    /**
     * Closes the port: the operating system refuses new connections until healed. They cannot be counted, so the fault
     * has acted when the port is closed. Healing fails if another program has taken the port.
     */
    public Fault refuse() {
        Fault fault = new Fault(FaultKind.REFUSE, "refuse connections", this::listenAgain);
        return switchboard.loop().call(() -> {
            switchboard.stopListening();
            refusals.add(fault);
            count(FaultKind.REFUSE);
            fault.act();
            return fault;
        });
    }

    /** Accepts new connections and resets them at once, until healed. */
    public Fault reject() {
        Fault fault = new Fault(FaultKind.REFUSE, "reject connections", rejections::remove);
        rejections.add(fault);
        return fault;
    }

    /** The connections that are open now, the oldest first. */
    public List<ProxiedConnection> connections() {
        return connections.values().stream().filter(ProxiedConnection::isOpen).toList();
    }

    /** The connection that was accepted last, open or closed. */
    public ProxiedConnection newest() {
        return connection((int) accepted());
    }

    /**
     * Returns a connection by its number, open or closed. The last ten thousand are remembered.
     *
     * @throws NoSuchElementException if there is no connection with that number, or it is no longer remembered
     */
    public ProxiedConnection connection(int number) {
        ProxiedConnection connection = connections.get(number);
        if (connection == null) {
            throw new NoSuchElementException("There is no connection " + number + " among " + accepted() + " accepted");
        }
        return connection;
    }

    /** How many connections were accepted so far, without those that were {@link #reject() rejected}. */
    public long accepted() {
        return accepted.count();
    }

    /**
     * Waits for the connection with this number.
     *
     * @throws AssertionError if it was not accepted within the patience
     */
    public ProxiedConnection awaitConnection(int number, Duration patience) {
        if (!accepted.await(number, patience)) {
            throw new AssertionError(
                    "Connection " + number + " did not come within " + patience + ", only " + accepted());
        }
        return connection(number);
    }

    /**
     * Closes the port and all connections, and waits until the thread has ended. Faults that are still in force end
     * with it.
     *
     * @throws IllegalStateException if code of the test has thrown on the proxy's thread; the first such error is the
     * cause
     */
    @Override
    public void close() {
        if (switchboard.loop().isLoopThread()) {
            throw new IllegalStateException("The proxy's own thread cannot close it: close it from the test");
        }
        switchboard.close();
        Throwable failure = switchboard.failure();
        if (failure != null) {
            throw new IllegalStateException("A hook or a matching failed on the proxy's thread: " + failure, failure);
        }
    }

    @Override
    public String toString() {
        return "Proxy on port " + port() + " to " + target();
    }

    @Override
    FaultProxy proxy() {
        return this;
    }

    @Override
    List<Rule> ruleList() {
        return switchboard.rules();
    }

    @Override
    List<SocketPair> pairs() {
        return switchboard.pairs();
    }

    Switchboard switchboard() {
        return switchboard;
    }

    RandomGenerator random() {
        return random;
    }

    /** Healing a fault of a closed proxy is not an error. */
    void ifOpen(Runnable work) {
        try {
            switchboard.loop().call(() -> {
                work.run();
                return true;
            });
        } catch (IllegalStateException closed) {
            if (!switchboard.loop().isClosed()) {
                throw closed;
            }
        }
    }

    /** Reads a figure between two steps of the proxy's thread, so that it includes everything the peers have seen. */
    long settled(LongSupplier figure) {
        return switchboard.loop().isClosed()
                ? figure.getAsLong()
                : switchboard.loop().call(figure::getAsLong);
    }

    private void open(SocketChannel client) {
        if (rejections.isEmpty()) {
            connect(client);
            return;
        }
        count(FaultKind.REFUSE);
        rejections.forEach(Fault::act);
        SocketPair.resetOnClose(client);
        SocketPair.closeQuietly(client);
    }

    private void connect(SocketChannel client) {
        try {
            int port = ((InetSocketAddress) client.getRemoteAddress()).getPort();
            int number = (int) accepted() + 1;
            ProxiedConnection connection = new ProxiedConnection(this, number, port, client, SocketChannel.open());
            remember(connection);
            switchboard.opened(connection.pair());
            switchboard.guarded(connection.pair(), () -> hooks.forEach(hook -> hook.accept(connection)));
            connection.pair().open();
            accepted.add();
        } catch (IOException goneAlready) {
            SocketPair.closeQuietly(client);
        }
    }

    private void remember(ProxiedConnection connection) {
        connections.put(connection.number(), connection);
        ProxiedConnection oldest = connections.firstEntry().getValue();
        if (connections.size() > MAX_REMEMBERED && !oldest.isOpen()) {
            connections.remove(oldest.number());
        }
    }

    private void listenAgain(Fault fault) {
        refusals.remove(fault);
        if (refusals.isEmpty()) {
            ifOpen(switchboard::listenAgain);
        }
    }

    private static InetSocketAddress resolved(String host, int port) {
        InetSocketAddress address = new InetSocketAddress(host, port);
        if (address.isUnresolved()) {
            throw new UncheckedIOException(new IOException("The host " + host + " is unknown"));
        }
        return address;
    }
}
