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
 * A TCP proxy on a loopback port that forwards to a server, and breaks the network in between when a test says so.
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
 * <p>Invariants: without faults bytes pass unchanged, in order, half-closed streams included; after {@link #close()} no thread and
 * no socket of the proxy is left. A client whose target cannot be reached is reset.
 *
 * <p>Thread-safe. One daemon thread does all the work; it also runs what the test hands in ({@link #onConnect}, tests of a {@link
 * Matching}), which therefore must not block. If such code throws, its connection is reset and {@link #close()} tells.
 */
public final class FaultProxy extends Link implements AutoCloseable {
    private static final long DEFAULT_SEED = 1;

    /** So many closed connections stay findable by their number. */
    private static final int MAX_REMEMBERED = 10_000;

    private final Switchboard board;
    private final Random random;
    private final List<Consumer<ProxiedConnection>> hooks = new CopyOnWriteArrayList<>();
    private final List<Fault> rejections = new CopyOnWriteArrayList<>();
    private final List<Fault> refusals = new CopyOnWriteArrayList<>();
    private final ConcurrentSkipListMap<Integer, ProxiedConnection> connections = new ConcurrentSkipListMap<>();
    private final Tally accepted = new Tally();

    private FaultProxy(InetSocketAddress target, Framing framing, long seed) {
        this.random = new Random(seed);
        this.board = new Switchboard(target, framing, this::welcome);
    }

    /** A proxy to this server that takes every read for a message. It forwards when this returns. */
    public static FaultProxy to(String host, int port) {
        return to(host, port, Framing.raw());
    }

    /** A proxy to this server that knows its protocol. */
    public static FaultProxy to(String host, int port, Framing framing) {
        return to(host, port, framing, DEFAULT_SEED);
    }

    /** A proxy to this server whose jitter and storms come from a seed. */
    public static FaultProxy to(String host, int port, Framing framing, long seed) {
        return new FaultProxy(resolved(host, port), Objects.requireNonNull(framing), seed);
    }

    /** The loopback port to connect to. It stays the same for the proxy's whole life. */
    public int port() {
        return board.endpoint().getPort();
    }

    /** The loopback address and port to connect to. */
    public InetSocketAddress endpoint() {
        return board.endpoint();
    }

    /** The server to which new connections are forwarded. */
    public InetSocketAddress target() {
        return board.target();
    }

    /** Forwards new connections to another server; those that are open stay where they are until they are {@link #cut()}. */
    public void retarget(String host, int port) {
        board.retarget(resolved(host, port));
    }

    /** Tells of each new connection before its first byte is read, so that faults injected on it then touch all of it. */
    public void onConnect(Consumer<ProxiedConnection> hook) {
        hooks.add(hook);
    }

    /**
     * Closes the port: new connections are refused by the operating system until healed. They cannot be counted, so this counts as
     * having acted once the port is closed. Healing fails if another program has taken the port meanwhile.
     */
    public Fault refuse() {
        Fault fault = new Fault(FaultKind.REFUSE, "refuse connections", this::listenAgain);
        return board.loop().call(() -> {
            board.stopListening();
            refusals.add(fault);
            count(FaultKind.REFUSE);
            fault.act();
            return fault;
        });
    }

    /** New connections are accepted and reset at once, until healed. */
    public Fault reject() {
        Fault fault = new Fault(FaultKind.REFUSE, "reject connections", rejections::remove);
        rejections.add(fault);
        return fault;
    }

    /** The connections that are open now, the oldest first. */
    public List<ProxiedConnection> connections() {
        return connections.values().stream().filter(ProxiedConnection::isOpen).toList();
    }

    /** The connection that was accepted last, open or not. */
    public ProxiedConnection newest() {
        return connection((int) accepted());
    }

    /**
     * A connection by its number, open or not; the last ten thousand are remembered.
     *
     * @throws NoSuchElementException if there was none with that number, or it is forgotten
     */
    public ProxiedConnection connection(int number) {
        ProxiedConnection connection = connections.get(number);
        if (connection == null) {
            throw new NoSuchElementException("There is no connection " + number + " among " + accepted() + " accepted");
        }
        return connection;
    }

    /** How many connections were accepted so far; those that were {@link #reject() rejected} do not count. */
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
     * Closes the port and all connections, and waits until the thread has ended. Faults still in force end with it.
     *
     * @throws IllegalStateException if code of the test has thrown on the proxy's thread; the first such error is the cause
     */
    @Override
    public void close() {
        if (board.loop().isLoopThread()) {
            throw new IllegalStateException("The proxy's own thread cannot close it: close it from the test");
        }
        board.close();
        Throwable failure = board.failure();
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
        return board.rules();
    }

    @Override
    List<Wire> wires() {
        return board.wires();
    }

    Switchboard board() {
        return board;
    }

    RandomGenerator random() {
        return random;
    }

    /** Healing what is already gone with its proxy is no error. */
    void ifOpen(Runnable work) {
        try {
            board.loop().call(() -> {
                work.run();
                return true;
            });
        } catch (IllegalStateException closed) {
            if (!board.loop().isClosed()) {
                throw closed;
            }
        }
    }

    /** What something is between two steps of the proxy's thread: what the peers have seen is counted. */
    long settled(LongSupplier figure) {
        return board.loop().isClosed() ? figure.getAsLong() : board.loop().call(figure::getAsLong);
    }

    private void welcome(SocketChannel client) {
        if (rejections.isEmpty()) {
            connect(client);
            return;
        }
        count(FaultKind.REFUSE);
        rejections.forEach(Fault::act);
        Wire.resetOnClose(client);
        Wire.closeQuietly(client);
    }

    private void connect(SocketChannel client) {
        try {
            int port = ((InetSocketAddress) client.getRemoteAddress()).getPort();
            int number = (int) accepted() + 1;
            ProxiedConnection connection = new ProxiedConnection(this, number, port, client, SocketChannel.open());
            remember(connection);
            board.opened(connection.wire());
            board.guarded(connection.wire(), () -> hooks.forEach(hook -> hook.accept(connection)));
            connection.wire().open();
            accepted.add();
        } catch (IOException goneAlready) {
            Wire.closeQuietly(client);
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
            ifOpen(board::listenAgain);
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
