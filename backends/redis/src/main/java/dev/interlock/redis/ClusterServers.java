package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.cluster.SlotHash;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.netty.util.concurrent.EventExecutor;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Function;
import java.util.function.Supplier;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * A Redis Cluster: one {@link ReconnectingConnection} per primary, and a table of which server has which slot.
 *
 * <p>Redirects are followed here and not by the driver: before a script runs on another server, that server's counter
 * must be raised. While a slot is being migrated the server replies {@code TRYAGAIN}; the call is then repeated for up
 * to a second.
 */
final class ClusterServers implements Servers {
    private static final int MAX_REDIRECTS = 5;
    private static final int MAX_MIGRATION_TRIES = 40;
    private static final long MIGRATION_PAUSE_MILLIS = 25;

    private final List<RedisURI> seeds;
    private final RedisKeys keys;
    private final RedisConnector connector;
    private final HighestNumbers highest;
    private final EventExecutor timer;
    private final long silenceLimitNanos;
    private final Map<String, ReconnectingConnection> shared = new ConcurrentHashMap<>();
    private final Map<String, ReconnectingConnection> reserved = new ConcurrentHashMap<>();
    private final AtomicReference<@Nullable CompletableFuture<Void>> refreshing = new AtomicReference<>();
    private final AtomicInteger nextSubscription = new AtomicInteger();
    private volatile String[] owners = new String[SlotHash.SLOT_COUNT];
    private volatile boolean closed;

    ClusterServers(
            List<RedisURI> seeds,
            RedisKeys keys,
            RedisConnector connector,
            HighestNumbers highest,
            EventExecutor timer,
            long silenceLimitNanos) {
        this.seeds = List.copyOf(seeds);
        this.keys = keys;
        this.connector = connector;
        this.highest = highest;
        this.timer = timer;
        this.silenceLimitNanos = silenceLimitNanos;
    }

    @Override
    public <T> CompletableFuture<T> call(int slot, ScriptCall call, Function<? super Object, ? extends T> parse) {
        return call(slot, call, MAX_REDIRECTS, MAX_MIGRATION_TRIES).thenApply(parse);
    }

    @Override
    public <T> CompletableFuture<T> call(
            int slot, Supplier<ScriptCall> deferred, Function<? super Object, ? extends T> parse) {
        return call(slot, deferred.get(), parse);
    }

    private CompletableFuture<Object> call(int slot, ScriptCall call, int redirects, int migrationTries) {
        return connection(slot)
                .thenCompose(connection -> send(connection, slot, call).exceptionallyCompose(error -> {
                    String code = RedisErrors.code(error);
                    if (redirects > 0 && code.equals("MOVED")) {
                        return refresh().thenCompose(done -> call(slot, call, redirects - 1, migrationTries));
                    }
                    if (redirects > 0 && code.equals("ASK")) {
                        return sendAsking(target(error), call)
                                .exceptionallyCompose(failure -> retry(slot, call, redirects, migrationTries, failure));
                    }
                    return retry(slot, call, redirects, migrationTries, failed(connection, error));
                }));
    }

    private CompletableFuture<Object> retry(
            int slot, ScriptCall call, int redirects, int migrationTries, Throwable error) {
        if (migrationTries == 0 || !RedisErrors.code(error).equals("TRYAGAIN")) {
            return CompletableFuture.failedFuture(RedisErrors.afterSending("The cluster", error));
        }
        CompletableFuture<Object> later = new CompletableFuture<>();
        timer.schedule(
                () -> call(slot, call, redirects, migrationTries - 1).whenComplete((reply, failure) -> {
                    if (failure != null) {
                        later.completeExceptionally(failure);
                    } else {
                        later.complete(reply);
                    }
                }),
                MIGRATION_PAUSE_MILLIS,
                TimeUnit.MILLISECONDS);
        return later;
    }

    private CompletableFuture<Object> send(ServerConnection connection, int slot, ScriptCall call) {
        if (!connection.isRaised(slot)) {
            // Sent first over the same connection, so the counter is raised when the call runs.
            ScriptCall raise = RedisCalls.raiseCounter(keys, slot, connection.quarantineMillis());
            connection.call(raise, RedisCalls::raisedTo, error -> error).thenAccept(number -> {
                highest.raise(slot, number);
                connection.setRaised(slot);
            });
        }
        return connection.call(call, reply -> reply, error -> error);
    }

    private CompletableFuture<Object> sendAsking(String target, ScriptCall call) {
        return to(target).connection().thenCompose(connection -> connection.callAsking(call));
    }

    private static String target(Throwable error) {
        String message = String.valueOf(RedisErrors.cause(error).getMessage());
        return message.substring(message.lastIndexOf(' ') + 1);
    }

    private Throwable failed(ServerConnection connection, Throwable error) {
        if (RedisErrors.isDemoted(error)) {
            to(connection.server()).replace(connection);
        }
        if (!RedisErrors.code(error).equals("TRYAGAIN")) {
            refresh();
        }
        return error;
    }

    @Override
    public CompletableFuture<ServerConnection> connection(int slot) {
        String owner = owners[slot];
        if (owner == null) {
            return refresh().thenCompose(done -> {
                String found = owners[slot];
                return found == null
                        ? CompletableFuture.failedFuture(
                                StoreException.notSent("No server of the cluster has slot " + slot, null))
                        : to(found).connection();
            });
        }
        ReconnectingConnection reconnecting = to(owner);
        ServerConnection current = reconnecting.current();
        if (current != null) {
            return CompletableFuture.completedFuture(current);
        }
        CompletableFuture<ServerConnection> connection = reconnecting.connection();
        if (connection.isCompletedExceptionally()) {
            // Another server may have the slot by now. The next call uses the new table.
            refresh();
        }
        return connection;
    }

    private ReconnectingConnection to(String address) {
        return shared.computeIfAbsent(address, this::newConnection);
    }

    private ReconnectingConnection newConnection(String address) {
        RedisURI uri = uri(address);
        AtomicReference<@Nullable ServerFacts> last = new AtomicReference<>();
        ReconnectingConnection created = new ReconnectingConnection(
                address,
                self -> connector.connect(uri, address, last, slotsOf(address), self::replace),
                timer,
                silenceLimitNanos);
        if (closed) {
            created.close();
        }
        return created;
    }

    private RedisURI uri(String address) {
        int colon = address.lastIndexOf(':');
        RedisURI uri = RedisURI.builder(seeds.get(0)).build();
        uri.setHost(address.substring(0, colon));
        uri.setPort(Integer.parseInt(address.substring(colon + 1)));
        return uri;
    }

    private IntStream slotsOf(String address) {
        String[] now = owners;
        return IntStream.range(0, now.length).filter(slot -> address.equals(now[slot]));
    }

    /** Reads the table again from the first server that returns it. Concurrent calls share one refresh. */
    CompletableFuture<Void> refresh() {
        CompletableFuture<Void> mine = new CompletableFuture<>();
        CompletableFuture<Void> running = refreshing.compareAndExchange(null, mine);
        if (running != null) {
            return running;
        }
        List<String> candidates = new ArrayList<>(shared.keySet());
        for (RedisURI seed : seeds) {
            candidates.add(seed.getHost() + ':' + seed.getPort());
        }
        // Connected servers first: they are the most likely to have the current table.
        candidates.sort((a, b) -> Boolean.compare(isConnected(b), isConnected(a)));
        readFrom(candidates, 0).whenComplete((done, error) -> {
            refreshing.set(null);
            if (error != null) {
                mine.completeExceptionally(RedisErrors.whileConnecting("the cluster", error));
            } else {
                mine.complete(null);
            }
        });
        return mine;
    }

    private boolean isConnected(String address) {
        ReconnectingConnection reconnecting = shared.get(address);
        return reconnecting != null && reconnecting.current() != null;
    }

    private CompletableFuture<Void> readFrom(List<String> candidates, int index) {
        String address = candidates.get(index);
        return to(address)
                .connection()
                .thenCompose(connection -> connection.send(new AsyncCommand<>(new Command<>(
                        CommandType.CLUSTER, new RedisReply(), new CommandArgs<>(StringCodec.UTF8).add("SLOTS")))))
                .thenAccept(reply -> owners = table(RedisReply.list(reply), address))
                .exceptionallyCompose(error -> index + 1 < candidates.size()
                        ? readFrom(candidates, index + 1)
                        : CompletableFuture.failedFuture(error));
    }

    private static String[] table(List<?> ranges, String source) {
        String[] table = new String[SlotHash.SLOT_COUNT];
        for (Object range : ranges) {
            List<?> parts = RedisReply.list(range);
            List<?> primary = RedisReply.list(parts.get(2));
            Object host = primary.get(0);
            // An empty host means the address under which this client reached the server.
            String name = host == null || host.equals("")
                    ? source.substring(0, source.lastIndexOf(':'))
                    : RedisReply.text(host);
            String address = name + ':' + RedisReply.number(primary.get(1));
            for (long slot = RedisReply.number(parts.get(0)); slot <= RedisReply.number(parts.get(1)); slot++) {
                table[(int) slot] = address;
            }
        }
        return table;
    }

    @Override
    public CompletableFuture<ServerConnection> reserved(int slot) {
        return connection(slot)
                .thenCompose(connection -> reserved.computeIfAbsent(connection.server(), this::newConnection)
                        .connection());
    }

    @Override
    public CompletableFuture<List<ServerConnection>> all() {
        return refresh().thenCompose(done -> {
            List<CompletableFuture<ServerConnection>> connections = Arrays.stream(owners)
                    .filter(Objects::nonNull)
                    .distinct()
                    .map(owner -> to(owner).connection())
                    .toList();
            return CompletableFuture.allOf(connections.toArray(CompletableFuture[]::new))
                    .thenApply(all ->
                            connections.stream().map(CompletableFuture::join).toList());
        });
    }

    @Override
    public RedisURI subscribeAt() {
        List<String> connected =
                shared.keySet().stream().filter(this::isConnected).sorted().toList();
        int next = Math.floorMod(nextSubscription.getAndIncrement(), Integer.MAX_VALUE);
        return connected.isEmpty() ? seeds.get(next % seeds.size()) : uri(connected.get(next % connected.size()));
    }

    @Override
    public boolean isSingle() {
        return false;
    }

    @Override
    public CompletableFuture<Void> close() {
        closed = true;
        return CompletableFuture.allOf(Stream.concat(shared.values().stream(), reserved.values().stream())
                .map(ReconnectingConnection::close)
                .toArray(CompletableFuture<?>[]::new));
    }
}
