package dev.interlock.testkit.servers;

import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.ReentrantLock;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.extension.AfterAllCallback;
import org.junit.jupiter.api.extension.AfterEachCallback;
import org.junit.jupiter.api.extension.BeforeAllCallback;
import org.junit.jupiter.api.extension.BeforeEachCallback;
import org.junit.jupiter.api.extension.ExtensionContext;

/**
 * A real server, or several that belong together, for tests.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisServer redis = RedisServer.shared();
 * }</pre>
 *
 * <p>A <em>shared</em> fixture is started once per JVM and serves all tests that ask for it; they stay apart by
 * {@link #namespace()}. A fixture of one's <em>own</em> lives as long as the field that holds it: a static field for the
 * class, another one for each test; it may be killed, paused and cut. Outside of JUnit call {@link #start()} and
 * {@link #close()}. All processes end with this JVM, even if it is killed, and all of them listen on loopback only.
 *
 * <p>An environment variable, named in each fixture, points shared fixtures to a server that runs already. Where a server
 * can neither be found nor fetched, the test is skipped with a sentence that says what to install; if the environment has
 * {@code CI=true} it fails, since a skipped test proves nothing.
 *
 * <p>Thread-safe.
 */
public abstract sealed class ServerFixture
        implements BeforeAllCallback, BeforeEachCallback, AfterEachCallback, AfterAllCallback, AutoCloseable
        permits SqlServer, RedisServer, RedisTopology, ZooKeeperServers, EtcdServers {
    private static final Logger LOGGER = System.getLogger(ServerFixture.class.getName());
    private static final AtomicInteger NAMESPACES = new AtomicInteger();

    private final String variable;
    private final boolean shared;
    private final ReentrantLock starting = new ReentrantLock();
    private final List<ServerNode> nodes = new CopyOnWriteArrayList<>();
    private volatile boolean started;
    private volatile boolean startedForOneTest;

    ServerFixture(String variable, boolean shared) {
        this.variable = variable;
        this.shared = shared;
    }

    /** Starts the processes with {@link #node}; returns when the whole answers. */
    abstract void launch();

    /** What is started, for messages. */
    abstract String title();

    /**
     * Starts the server unless it runs already, and waits until it answers.
     *
     * @throws IllegalStateException if it cannot be had here or does not start; the message says what to do
     */
    public final void start() {
        starting.lock();
        try {
            if (!started && existing().isEmpty()) {
                launchTimed();
            }
            started = true;
        } finally {
            starting.unlock();
        }
    }

    private void launchTimed() {
        long began = System.nanoTime();
        Platform.check(title(), variable);
        try {
            launch();
        } catch (RuntimeException e) {
            closeNodes();
            throw e;
        }
        double seconds = (System.nanoTime() - began) / 1e9;
        LOGGER.log(Level.INFO, () -> String.format(Locale.ROOT, "%s is ready after %.2f s", title(), seconds));
    }

    /**
     * Ends the processes and deletes their data. A shared fixture stays: others use it, and JUnit closes whatever was an
     * argument of a parameterized test.
     */
    @Override
    public final void close() {
        starting.lock();
        try {
            if (!shared) {
                closeNodes();
                started = false;
            }
        } finally {
            starting.unlock();
        }
    }

    private void closeNodes() {
        nodes.forEach(ServerNode::close);
        nodes.clear();
    }

    /** A name that no test had before, also not one in another JVM: what is under it belongs to the caller. */
    public final String namespace() {
        String process = Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);
        // Process ids come back after a restart of the host, so the time is part of the name.
        String time = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        return "t" + process + "-" + time + "-" + NAMESPACES.incrementAndGet();
    }

    /** The processes, in the order of their start; the fixture must have been started by itself. */
    final List<ServerNode> nodes() {
        if (existing().isPresent()) {
            throw new IllegalStateException(
                    variable + " points to a server that runs already; tests do not control its processes.");
        }
        requireStarted();
        return List.copyOf(nodes);
    }

    /** The processes started so far, while the rest is being launched. */
    final List<ServerNode> allNodes() {
        return nodes;
    }

    final void requireStarted() {
        if (!started) {
            throw new IllegalStateException(
                    title() + " is not started. Put @RegisterExtension on the field, or call start().");
        }
    }

    /** Starts one process and waits until it answers. */
    final ServerNode node(Recipe recipe, boolean steppableClock) {
        ServerNode node = new ServerNode(recipe, shared, steppableClock);
        nodes.add(node);
        node.spawn();
        node.awaitReady();
        return node;
    }

    /** Starts processes that wait for each other. */
    final void quorum(List<Recipe> recipes) {
        recipes.forEach(recipe -> nodes.add(new ServerNode(recipe, shared, false)));
        nodes.forEach(ServerNode::spawn);
        nodes.forEach(ServerNode::awaitReady);
    }

    /** What the environment says about a server that runs already; a fixture of one's own is always started. */
    final Optional<String> existing() {
        return Optional.ofNullable(System.getenv(variable)).filter(address -> shared && !address.isBlank());
    }

    final void requireNotStarted() {
        if (started) {
            throw new IllegalStateException(title() + " is started; its settings must be given before.");
        }
        if (shared) {
            throw new IllegalStateException(title() + " is shared by all tests of this JVM; settings need own().");
        }
    }

    @Override
    public final void beforeAll(ExtensionContext context) {
        startOrSkip();
    }

    @Override
    public final void beforeEach(ExtensionContext context) {
        if (!started) {
            startedForOneTest = !shared;
            startOrSkip();
        }
    }

    @Override
    public final void afterEach(ExtensionContext context) {
        if (startedForOneTest) {
            close();
        }
    }

    @Override
    public final void afterAll(ExtensionContext context) {
        close();
    }

    private void startOrSkip() {
        try {
            start();
        } catch (MissingServerException e) {
            if ("true".equalsIgnoreCase(System.getenv("CI"))) {
                throw e;
            }
            Assumptions.abort(String.valueOf(e.getMessage()));
        }
    }
}
