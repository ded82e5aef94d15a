package dev.interlock.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;

/**
 * One Redis server.
 *
 * <p>{@code INTERLOCK_TEST_REDIS=redis://user:password@host:port} points the shared fixture to a running server,
 * without TLS.
 *
 * @since 0.1.0
 */
public final class RedisServer extends ServerFixture {
    static final String VARIABLE = "INTERLOCK_TEST_REDIS";
    private static final int USUAL_PORT = 6379;
    private static final RedisServer SHARED = new RedisServer(true);

    private final Map<String, String> settings = new LinkedHashMap<>();
    private RedisVersion version = RedisVersion.V7_0;
    private boolean steppableClock;

    private RedisServer(boolean shared) {
        super(VARIABLE, shared);
    }

    /** The Redis 7.0 that all tests of this JVM use. */
    public static RedisServer shared() {
        return SHARED;
    }

    /** A Redis 7.0 that belongs to the test, without persistence. */
    public static RedisServer own() {
        return new RedisServer(false);
    }

    /** Chooses the version. */
    public RedisServer version(RedisVersion wanted) {
        requireNotStarted();
        this.version = wanted;
        return this;
    }

    /** Sets a line of the configuration, such as {@code appendonly yes}. */
    public RedisServer with(String setting, String value) {
        requireNotStarted();
        settings.put(setting, value);
        return this;
    }

    /**
     * Gives the server a wall clock that can be stepped. Redis 6.2 only, since the program of 7.0 is statically linked.
     */
    public RedisServer steppableClock() {
        requireNotStarted();
        this.steppableClock = true;
        return this;
    }

    /** The address for clients, such as {@code redis://127.0.0.1:12345}. */
    public String uri() {
        requireStarted();
        return existing().orElseGet(() -> "redis://" + node().address());
    }

    /** The process. */
    public ServerNode node() {
        return nodes().get(0);
    }

    /**
     * Sends one command and returns the answer as text; the elements of an array are joined by line feeds.
     *
     * @throws UncheckedIOException if the server does not answer or answers with an error
     */
    public String command(String... words) {
        URI uri = URI.create(uri());
        int port = uri.getPort() < 0 ? USUAL_PORT : uri.getPort();
        try {
            return Resp.send(uri.getHost(), port, login(uri), words);
        } catch (IOException e) {
            throw new UncheckedIOException(title() + " on " + uri.getHost() + ":" + port, e);
        }
    }

    /** The part before the at sign: a password, or a user and a password. */
    private static List<String> login(URI uri) {
        String user = uri.getUserInfo();
        if (user == null) {
            return List.of();
        }
        int colon = user.indexOf(':');
        return colon <= 0
                ? List.of("AUTH", user.substring(colon + 1))
                : List.of("AUTH", user.substring(0, colon), user.substring(colon + 1));
    }

    @Override
    void launch() {
        if (steppableClock && version != RedisVersion.V6_2) {
            throw new IllegalStateException(
                    "The clock of Redis 7.0 cannot be stepped: the program is statically linked. Use version V6_2.");
        }
        node(new RedisRecipe(version, settings), steppableClock);
    }

    @Override
    String title() {
        return version.title();
    }
}
