package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.RedisChannelHandler;
import io.lettuce.core.RedisClient;
import io.lettuce.core.RedisConnectionStateListener;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.CommandOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;
import java.util.function.Consumer;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;

/**
 * Makes connections that may be trusted with locks: looks whom it is talking to, closes the server to grants if it has just lost its
 * memory, and raises its counters.
 */
final class Connector {
    private static final System.Logger LOG = System.getLogger(Connector.class.getName());

    /** So many counters are raised at a time. */
    private static final int PORTION = 500;

    /** Connecting, asking who it is and how it writes, asking for its time. */
    private static final int STEPS = 4;

    private final RedisClient client;
    private final RedisKeys keys;
    private final Seen seen;
    private final RestartGuard guard;
    private final ServerTime time;
    private final boolean evictionAccepted;
    private final long limitMillis;

    Connector(RedisClient client, RedisKeys keys, Seen seen, ServerTime time, RedisOptions options) {
        this.client = client;
        this.keys = keys;
        this.seen = seen;
        this.time = time;
        this.guard = new RestartGuard(options.guard(), options.longestLease());
        this.evictionAccepted = options.evictionAccepted();
        this.limitMillis = options.silence().toMillis();
    }

    /**
     * Connects to a server.
     *
     * @param last what the server was at the last time; set to what it is now
     * @param slots whose counters to raise at once
     * @param ended told when the connection has ended by itself
     */
    CompletableFuture<Wire> connect(
            RedisURI uri,
            String server,
            AtomicReference<@Nullable ServerFacts> last,
            IntStream slots,
            Consumer<Wire> ended) {
        CompletableFuture<StatefulRedisConnection<String, String>> connecting =
                client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
        // The driver's own limit for the handshake is a minute.
        CompletableFuture<Wire> wire = soon(connecting)
                .thenCompose(connection -> greet(connection, uri, server, last, slots.toArray())
                        .thenApply(made -> watched(connection, made, ended)));
        wire.whenComplete((made, error) -> {
            if (error != null) {
                connecting.thenAccept(StatefulRedisConnection::closeAsync);
            }
        });
        return wire;
    }

    /** How long it takes at the longest, if the server never keeps silent for longer than it may. */
    Duration longest() {
        int portions = (keys.slots() + PORTION - 1) / PORTION;
        return Duration.ofMillis(limitMillis * (STEPS + portions));
    }

    /**
     * A step that must not take longer than the server may keep silent. Not all steps together: a server of a cluster has thousands of
     * counters, and one that is busy and goes on answering is not gone.
     */
    private <T> CompletableFuture<T> soon(CompletableFuture<T> step) {
        return step.copy().orTimeout(limitMillis, TimeUnit.MILLISECONDS);
    }

    private static Wire watched(StatefulRedisConnection<String, String> connection, Wire wire, Consumer<Wire> ended) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                ended.accept(wire);
            }
        });
        if (!connection.isOpen()) {
            ended.accept(wire);
        }
        return wire;
    }

    private CompletableFuture<Wire> greet(
            StatefulRedisConnection<String, String> connection,
            RedisURI uri,
            String server,
            AtomicReference<@Nullable ServerFacts> last,
            int[] slots) {
        for (Script script : Script.values()) {
            // A server that does not let us load scripts gets them with each call.
            ask(connection, CommandType.SCRIPT, "LOAD", script.text());
        }
        return soon(ask(connection, CommandType.INFO)).thenCompose(info -> {
            ServerFacts facts = new ServerFacts(Reply.text(info));
            check(server, facts);
            return soon(syncsEveryWrite(connection, facts)).thenCompose(syncs -> {
                long quarantine = guard.quarantineMillis(last.get(), facts, syncs);
                if (quarantine > 0) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "{0} may have forgotten locks that are still held: it started {1} s ago. No lock is granted for {2} ms",
                            server,
                            facts.uptimeSeconds(),
                            quarantine);
                }
                return raise(connection, uri, server, facts, slots, quarantine).thenApply(wire -> {
                    last.set(facts);
                    return wire;
                });
            });
        });
    }

    private CompletableFuture<Wire> raise(
            StatefulRedisConnection<String, String> connection,
            RedisURI uri,
            String server,
            ServerFacts facts,
            int[] slots,
            long quarantine) {
        int[] now = quarantine > 0 || keys.slots() == 1 ? slots : new int[0];
        return raise(connection, now, 0, quarantine)
                .thenCompose(done -> soon(ask(connection, CommandType.TIME)))
                .thenApply(reply -> {
                    List<?> parts = Reply.list(reply);
                    long millis = 1_000 * Long.parseLong(Reply.text(parts.get(0)))
                            + Long.parseLong(Reply.text(parts.get(1))) / 1_000;
                    time.told(millis);
                    Wire wire = new Wire(connection, uri, server, facts, keys.slots(), quarantine);
                    for (int slot : now) {
                        wire.raised(slot);
                    }
                    return wire;
                });
    }

    private CompletableFuture<Void> raise(
            StatefulRedisConnection<String, String> connection, int[] slots, int from, long quarantine) {
        int to = Math.min(slots.length, from + PORTION);
        CompletableFuture<?>[] raised = new CompletableFuture<?>[to - from];
        // Written together: the thread that would write them one by one answers for other servers too.
        connection.setAutoFlushCommands(false);
        for (int i = from; i < to; i++) {
            int slot = slots[i];
            Call raising = raising(keys, slot, quarantine);
            // The first one teaches the script to a server that did not let us load it.
            raised[i - from] = send(connection, i == 0 ? raising.byText() : raising.byDigest())
                    .thenAccept(reply ->
                            seen.raise(slot, Reply.number(Reply.list(reply).get(0))));
        }
        connection.setAutoFlushCommands(true);
        connection.flushCommands();
        CompletableFuture<Void> portion = soon(CompletableFuture.allOf(raised));
        return to == slots.length ? portion : portion.thenCompose(done -> raise(connection, slots, to, quarantine));
    }

    static Call raising(RedisKeys keys, int slot, long quarantineMillis) {
        return new Call(Script.RAISE, 2, 1)
                .key(keys.counter(slot))
                .key(keys.mark(slot))
                .arg(quarantineMillis);
    }

    /** Only a log that is synced with every write never forgets; a server that does not tell is not trusted. */
    private static CompletableFuture<Boolean> syncsEveryWrite(
            StatefulRedisConnection<String, String> connection, ServerFacts facts) {
        if (!facts.writesLog()) {
            return CompletableFuture.completedFuture(false);
        }
        return ask(connection, CommandType.CONFIG, "GET", "appendfsync")
                .handle((reply, error) -> error == null && String.valueOf(reply).contains("always"));
    }

    private static CompletableFuture<Object> ask(
            StatefulRedisConnection<String, String> connection, CommandType type, String... words) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String word : words) {
            args.add(word);
        }
        CommandOutput<String, String, Object> output = new Reply();
        return send(connection, new AsyncCommand<>(new Command<>(type, output, args)));
    }

    private static CompletableFuture<Object> send(
            StatefulRedisConnection<String, String> connection, AsyncCommand<String, String, Object> command) {
        connection.dispatch(command);
        return command.toCompletableFuture();
    }

    /** What a server must be before it is trusted with locks. */
    private void check(String server, ServerFacts facts) {
        if (facts.isTooOld()) {
            throw StoreException.refused(server + " is Redis " + facts.version() + ": 6.2 or newer is needed");
        }
        if (facts.isLoading()) {
            throw StoreException.notSent(server + " is still loading its data", null);
        }
        if (!facts.isPrimary()) {
            throw StoreException.notSent(
                    server + " is a replica: connect to its primary, or by Sentinel (redis-sentinel://…)", null);
        }
        if (facts.evicts() && !evictionAccepted) {
            throw StoreException.refused(server + " has maxmemory-policy " + facts.evictionPolicy()
                    + " and throws locks away when memory runs short: set it to noeviction, or use another server for"
                    + " locks, or accept it with acceptEviction()");
        }
    }
}
