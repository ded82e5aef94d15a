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
 * A real server, or several that form one deployment, for tests.
 *
 * <pre>{@code
 * @RegisterExtension
 * static final RedisServer redis = RedisServer.shared();
 * }</pre>
 *
 * <p>A <em>shared</em> fixture is started once per JVM for all tests that use it; each test uses a {@link #namespace()}
 * of its own. An <em>own</em> fixture belongs to the field that holds it: a static field to the class, an instance
 * field to each test. It may be killed, paused and cut. Outside of JUnit, call {@link #start()} and {@link #close()}.
 * All processes end with this JVM, even if it is killed, and listen on loopback only.
 *
 * <p>An environment variable, named in each fixture, points shared fixtures to a running server. If a server is neither
 * running nor downloadable, the test is skipped with a message that says what to install. With {@code CI=true} in the
 * environment it fails instead, since a skipped test proves nothing.
 *
 * <p>Thread-safe.
 *
 * @since 0.1.0
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

    /** Starts the processes with {@link #node} and returns when the deployment answers. */
    abstract void launch();

    /** The name of the deployment, for messages. */
    abstract String title();

    /**
     * Starts the server unless it is running, and waits until it answers.
     *
     * @throws IllegalStateException if the server is not available or does not start; the message says what to do
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
     * Ends the processes and deletes their data. A shared fixture stays: other tests use it, and JUnit closes every
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

    /**
     * Returns a name that no test has used before, in this JVM or another one. Everything under it belongs to the
     * caller.
     */
    public final String namespace() {
        String process = Long.toString(ProcessHandle.current().pid(), Character.MAX_RADIX);
        // Process ids are reused after a restart of the host, so the time is part of the name.
        String time = Long.toString(System.currentTimeMillis(), Character.MAX_RADIX);
        return "t" + process + "-" + time + "-" + NAMESPACES.incrementAndGet();
    }

    /** The processes, in the order of their start. Fails if the fixture points to a server that it did not start. */
    final List<ServerNode> nodes() {
        if (existing().isPresent()) {
            throw new IllegalStateException(
                    variable + " points to a running server, whose processes the tests do not control.");
        }
        requireStarted();
        return List.copyOf(nodes);
    }

    /** The processes started so far, while others are being launched. */
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

    /** The running server that the environment names; an own fixture always starts one. */
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
