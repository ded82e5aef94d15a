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
 * Makes connections that can be trusted with locks: checks the server, closes it to grants if it may have lost some,
 * and raises its counters.
 */
final class RedisConnector {
    private static final System.Logger LOG = System.getLogger(RedisConnector.class.getName());

    /** Counters raised at a time. */
    private static final int RAISE_BATCH = 500;

    /** Connect, {@code INFO}, {@code CONFIG GET}, {@code TIME}. */
    private static final int STEPS = 4;

    private final RedisClient client;
    private final RedisKeys keys;
    private final HighestNumbers highest;
    private final RestartGuard guard;
    private final ServerTime time;
    private final boolean evictionAccepted;
    private final long stepLimitMillis;

    RedisConnector(RedisClient client, RedisKeys keys, HighestNumbers highest, ServerTime time, RedisOptions options) {
        this.client = client;
        this.keys = keys;
        this.highest = highest;
        this.time = time;
        this.guard = new RestartGuard(options.guard(), options.longestLease());
        this.evictionAccepted = options.evictionAccepted();
        this.stepLimitMillis = options.silenceLimit().toMillis();
    }

    /**
     * Connects to a server.
     *
     * @param last the facts from the previous connection to this server; set to the current ones
     * @param slots the slots whose counters may have to be raised before the first call
     * @param onEnd called when the connection ends by itself
     */
    CompletableFuture<ServerConnection> connect(
            RedisURI uri,
            String server,
            AtomicReference<@Nullable ServerFacts> last,
            IntStream slots,
            Consumer<ServerConnection> onEnd) {
        CompletableFuture<StatefulRedisConnection<String, String>> connecting =
                client.connectAsync(StringCodec.UTF8, uri).toCompletableFuture();
        // The driver's own limit for the handshake is a minute.
        CompletableFuture<ServerConnection> checked = limited(connecting)
                .thenCompose(connection -> prepare(connection, uri, server, last, slots.toArray())
                        .thenApply(made -> watched(connection, made, onEnd)));
        checked.whenComplete((made, error) -> {
            if (error != null) {
                connecting.thenAccept(StatefulRedisConnection::closeAsync);
            }
        });
        return checked;
    }

    /** How long connecting can take if every step stays just within its limit. */
    Duration maxDuration() {
        int batches = (keys.slots() + RAISE_BATCH - 1) / RAISE_BATCH;
        return Duration.ofMillis(stepLimitMillis * (STEPS + batches));
    }

    /**
     * Limits a step to the time for which a server may stay silent. Each step has its own limit: a server of a cluster
     * has thousands of counters, and a busy server that keeps answering is not lost.
     */
    private <T> CompletableFuture<T> limited(CompletableFuture<T> step) {
        return step.copy().orTimeout(stepLimitMillis, TimeUnit.MILLISECONDS);
    }

    private static ServerConnection watched(
            StatefulRedisConnection<String, String> connection,
            ServerConnection made,
            Consumer<ServerConnection> onEnd) {
        connection.addListener(new RedisConnectionStateListener() {
            @Override
            public void onRedisDisconnected(RedisChannelHandler<?, ?> gone) {
                onEnd.accept(made);
            }
        });
        if (!connection.isOpen()) {
            onEnd.accept(made);
        }
        return made;
    }

    private CompletableFuture<ServerConnection> prepare(
            StatefulRedisConnection<String, String> connection,
            RedisURI uri,
            String server,
            AtomicReference<@Nullable ServerFacts> last,
            int[] slots) {
        for (Script script : Script.values()) {
            // Best effort: if this user may not load scripts, the first call of each sends its text.
            send(connection, CommandType.SCRIPT, "LOAD", script.text());
        }
        return limited(send(connection, CommandType.INFO)).thenCompose(info -> {
            ServerFacts facts = new ServerFacts(RedisReply.text(info));
            check(server, facts);
            return limited(syncsEveryWrite(connection, facts)).thenCompose(syncs -> {
                long quarantine = guard.quarantineMillis(last.get(), facts, syncs);
                if (quarantine > 0) {
                    LOG.log(
                            System.Logger.Level.WARNING,
                            "{0} may have lost locks that are still held: it started {1} s ago."
                                    + " It grants no lock for {2} ms",
                            server,
                            facts.uptimeSeconds(),
                            quarantine);
                }
                return raise(connection, uri, server, facts, slots, quarantine).thenApply(made -> {
                    last.set(facts);
                    return made;
                });
            });
        });
    }

    private CompletableFuture<ServerConnection> raise(
            StatefulRedisConnection<String, String> connection,
            RedisURI uri,
            String server,
            ServerFacts facts,
            int[] slots,
            long quarantine) {
        int[] now = quarantine > 0 || keys.slots() == 1 ? slots : new int[0];
        return raise(connection, now, 0, quarantine)
                .thenCompose(done -> limited(send(connection, CommandType.TIME)))
                .thenApply(reply -> {
                    List<?> parts = RedisReply.list(reply);
                    long millis = 1_000 * Long.parseLong(RedisReply.text(parts.get(0)))
                            + Long.parseLong(RedisReply.text(parts.get(1))) / 1_000;
                    time.update(millis);
                    ServerConnection made =
                            new ServerConnection(connection, uri, server, facts, keys.slots(), quarantine);
                    for (int slot : now) {
                        made.setRaised(slot);
                    }
                    return made;
                });
    }

    private CompletableFuture<Void> raise(
            StatefulRedisConnection<String, String> connection, int[] slots, int from, long quarantine) {
        int to = Math.min(slots.length, from + RAISE_BATCH);
        CompletableFuture<?>[] raised = new CompletableFuture<?>[to - from];
        // Flushed together: this thread also serves the connections to other servers.
        connection.setAutoFlushCommands(false);
        for (int i = from; i < to; i++) {
            int slot = slots[i];
            ScriptCall raise = RedisCalls.raiseCounter(keys, slot, quarantine);
            // The first one by text, in case this user may not load scripts.
            raised[i - from] = send(connection, i == 0 ? raise.byText() : raise.byDigest())
                    .thenAccept(reply -> highest.raise(slot, RedisCalls.raisedTo(reply)));
        }
        connection.setAutoFlushCommands(true);
        connection.flushCommands();
        CompletableFuture<Void> batch = limited(CompletableFuture.allOf(raised));
        return to == slots.length ? batch : batch.thenCompose(done -> raise(connection, slots, to, quarantine));
    }

    /**
     * Whether no grant can be lost: only an append-only file with fsync on every write. False if the server does not
     * say.
     */
    private static CompletableFuture<Boolean> syncsEveryWrite(
            StatefulRedisConnection<String, String> connection, ServerFacts facts) {
        if (!facts.writesLog()) {
            return CompletableFuture.completedFuture(false);
        }
        return send(connection, CommandType.CONFIG, "GET", "appendfsync")
                .handle((reply, error) -> error == null && String.valueOf(reply).contains("always"));
    }

    private static CompletableFuture<Object> send(
            StatefulRedisConnection<String, String> connection, CommandType type, String... words) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8);
        for (String word : words) {
            args.add(word);
        }
        CommandOutput<String, String, Object> output = new RedisReply();
        return send(connection, new AsyncCommand<>(new Command<>(type, output, args)));
    }

    private static CompletableFuture<Object> send(
            StatefulRedisConnection<String, String> connection, AsyncCommand<String, String, Object> command) {
        connection.dispatch(command);
        return command.toCompletableFuture();
    }

    /** Refuses a server that cannot be trusted with locks. */
    private void check(String server, ServerFacts facts) {
        if (facts.isTooOld()) {
            throw StoreException.refused(server + " is Redis " + facts.version() + ": 6.2 or newer is required");
        }
        if (facts.isLoading()) {
            throw StoreException.notSent(server + " is still loading its data", null);
        }
        if (!facts.isPrimary()) {
            throw StoreException.notSent(
                    server + " is a replica: connect to its primary, or through Sentinel (redis-sentinel://…)", null);
        }
        if (facts.evicts() && !evictionAccepted) {
            throw StoreException.refused(server + " has maxmemory-policy " + facts.evictionPolicy()
                    + " and evicts locks when memory runs short: set it to noeviction, or use another server for"
                    + " locks, or accept it with acceptEviction()");
        }
    }
}
