package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicLongArray;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server that has been checked and whose counter has been raised. It never reconnects: when it ends, every
 * call without an answer fails, and nothing is sent again.
 *
 * <p>A server that keeps silent while calls wait for it, longer than the limit, counts as gone; a cut cable says nothing either.
 */
final class Wire {
    private final StatefulRedisConnection<String, String> connection;
    private final String server;
    private final ServerFacts facts;
    private final AtomicLongArray raised;
    private final AtomicInteger pending = new AtomicInteger();
    private volatile long heardNanos = System.nanoTime();
    private volatile boolean ended;

    Wire(StatefulRedisConnection<String, String> connection, String server, ServerFacts facts, int slots) {
        this.connection = connection;
        this.server = server;
        this.facts = facts;
        this.raised = new AtomicLongArray((slots + Long.SIZE - 1) / Long.SIZE);
    }

    String server() {
        return server;
    }

    ServerFacts facts() {
        return facts;
    }

    boolean isOpen() {
        return !ended;
    }

    /** Whether the slot's counter has been raised over this very connection. */
    boolean isRaised(int slot) {
        return (raised.get(slot / Long.SIZE) & 1L << slot) != 0;
    }

    void raised(int slot) {
        raised.accumulateAndGet(slot / Long.SIZE, 1L << slot, (a, b) -> a | b);
    }

    CompletableFuture<Object> call(Call call) {
        return send(call.byDigest(), null).exceptionallyCompose(error -> {
            // The server has forgotten its scripts and did nothing; with the text it learns this one again.
            return Failures.code(error).equals("NOSCRIPT")
                    ? send(call.byText(), null)
                    : CompletableFuture.failedFuture(error);
        });
    }

    /** For a slot that is on its way to this server. */
    CompletableFuture<Object> callAsking(Call call) {
        // With its text: a second try would need to ask again.
        return send(
                call.byText(),
                new AsyncCommand<>(new Command<>(CommandType.ASKING, new StatusOutput<>(StringCodec.UTF8))));
    }

    <T> CompletableFuture<T> send(AsyncCommand<String, String, T> command) {
        return send(command, null);
    }

    private <T> CompletableFuture<T> send(
            AsyncCommand<String, String, T> command, @Nullable AsyncCommand<String, String, String> before) {
        if (ended) {
            return CompletableFuture.failedFuture(
                    StoreException.notSent("The connection to " + server + " has just ended", null));
        }
        if (pending.getAndIncrement() == 0) {
            heardNanos = System.nanoTime();
        }
        if (before == null) {
            connection.dispatch(command);
        } else {
            List<RedisCommand<String, String, ?>> both = List.of(before, command);
            connection.dispatch(both);
        }
        return command.toCompletableFuture().whenComplete((reply, error) -> {
            pending.decrementAndGet();
            heardNanos = System.nanoTime();
        });
    }

    boolean isSilent(long limitNanos) {
        return pending.get() > 0 && System.nanoTime() - heardNanos > limitNanos;
    }

    /** Ends it; calls without an answer fail. */
    void end() {
        ended = true;
        connection.closeAsync();
    }
}
