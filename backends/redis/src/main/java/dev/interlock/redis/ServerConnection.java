package dev.interlock.redis;

import dev.interlock.spi.StoreException;
import io.lettuce.core.RedisURI;
import io.lettuce.core.api.StatefulRedisConnection;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.output.StatusOutput;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import io.lettuce.core.protocol.RedisCommand;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.atomic.AtomicIntegerFieldUpdater;
import java.util.concurrent.atomic.AtomicLongArray;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One connection to one server that has been checked and whose counter has been raised. It never reconnects: when it
 * ends, every call without a reply fails, and nothing is sent again.
 *
 * <p>A server that stays silent for longer than the limit while calls are pending counts as lost: a cut cable reports
 * no error.
 *
 * <p>Thread-safe.
 */
final class ServerConnection {
    private static final AtomicIntegerFieldUpdater<ServerConnection> ENDED =
            AtomicIntegerFieldUpdater.newUpdater(ServerConnection.class, "ended");

    private final StatefulRedisConnection<String, String> connection;
    private final RedisURI uri;
    private final String server;
    private final ServerFacts facts;
    private final AtomicLongArray raised;
    private final AtomicInteger pending = new AtomicInteger();
    private final ReplicaWait replication = new ReplicaWait(this);
    private final long quarantineEndNanos;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile long lastReplyNanos = System.nanoTime();
    private volatile int ended;

    ServerConnection(
            StatefulRedisConnection<String, String> connection,
            RedisURI uri,
            String server,
            ServerFacts facts,
            int slots,
            long quarantineMillis) {
        this.quarantineEndNanos = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(quarantineMillis);
        this.connection = connection;
        this.uri = uri;
        this.server = server;
        this.facts = facts;
        this.raised = new AtomicLongArray((slots + Long.SIZE - 1) / Long.SIZE);
    }

    String server() {
        return server;
    }

    boolean isTo(RedisURI other) {
        return uri.getPort() == other.getPort() && uri.getHost().equals(other.getHost());
    }

    ServerFacts facts() {
        return facts;
    }

    boolean isOpen() {
        return ended == 0;
    }

    /** How long slots whose counters are raised later must stay closed, because this server may have lost grants. */
    long quarantineMillis() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(quarantineEndNanos - System.nanoTime()));
    }

    /** Runs the action if the server is no longer the primary that it was when this connection was made. */
    void checkRole(Runnable onChange) {
        send(new AsyncCommand<>(new Command<>(
                        CommandType.INFO, new RedisReply(), new CommandArgs<>(StringCodec.UTF8).add("replication"))))
                .thenAccept(info -> {
                    if (!new ServerFacts(RedisReply.text(info)).isSamePrimary(facts)) {
                        onChange.run();
                    }
                });
    }

    ReplicaWait replication() {
        return replication;
    }

    /** Whether this connection has raised the slot's counter. */
    boolean isRaised(int slot) {
        return (raised.get(slot / Long.SIZE) & 1L << slot) != 0;
    }

    void setRaised(int slot) {
        raised.accumulateAndGet(slot / Long.SIZE, 1L << slot, (a, b) -> a | b);
    }

    /**
     * Runs a script.
     *
     * @param parse turns the reply into the answer
     * @param failure turns the driver's exception into the one with which the call fails
     */
    <T> CompletableFuture<T> call(
            ScriptCall call, Function<? super Object, ? extends T> parse, Function<Throwable, Throwable> failure) {
        return call(call.byDigest(), () -> call, parse, failure);
    }

    /** Runs a script whose content is asked for when the command is encoded. */
    <T> CompletableFuture<T> call(
            Supplier<ScriptCall> deferred,
            Function<? super Object, ? extends T> parse,
            Function<Throwable, Throwable> failure) {
        return call(ScriptCall.byDigest(deferred), deferred, parse, failure);
    }

    private <T> CompletableFuture<T> call(
            AsyncCommand<String, String, Object> command,
            Supplier<ScriptCall> call,
            Function<? super Object, ? extends T> parse,
            Function<Throwable, Throwable> failure) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        // One callback instead of a chain of stages: every acquire and release runs through here.
        command.whenComplete((reply, error) -> {
            replied();
            if (error == null) {
                complete(answer, reply, parse, failure);
            } else if (RedisErrors.code(error).equals("NOSCRIPT")) {
                // The server's script cache was flushed and the call had no effect. The text loads the script again.
                callByText(call.get(), parse, failure, answer);
            } else {
                answer.completeExceptionally(failure.apply(error));
            }
        });
        dispatch(command, answer, null);
        return answer;
    }

    private <T> void callByText(
            ScriptCall call,
            Function<? super Object, ? extends T> parse,
            Function<Throwable, Throwable> failure,
            CompletableFuture<T> answer) {
        AsyncCommand<String, String, Object> command = call.byText();
        command.whenComplete((reply, error) -> {
            replied();
            if (error == null) {
                complete(answer, reply, parse, failure);
            } else {
                answer.completeExceptionally(failure.apply(error));
            }
        });
        dispatch(command, answer, null);
    }

    private static <T> void complete(
            CompletableFuture<T> answer,
            Object reply,
            Function<? super Object, ? extends T> parse,
            Function<Throwable, Throwable> failure) {
        T parsed;
        try {
            parsed = parse.apply(reply);
        } catch (RuntimeException e) {
            answer.completeExceptionally(failure.apply(e));
            return;
        }
        answer.complete(parsed);
    }

    /** Runs a script on a slot that is being migrated to this server. */
    CompletableFuture<Object> callAsking(ScriptCall call) {
        // By text, because a retry after NOSCRIPT would need a second ASKING.
        return send(
                call.byText(),
                new AsyncCommand<>(new Command<>(CommandType.ASKING, new StatusOutput<>(StringCodec.UTF8))));
    }

    /** Sends a command; the future fails with the driver's exception. */
    CompletableFuture<Object> send(AsyncCommand<String, String, Object> command) {
        return send(command, null);
    }

    private CompletableFuture<Object> send(
            AsyncCommand<String, String, Object> command, @Nullable AsyncCommand<String, String, String> before) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        command.whenComplete((reply, error) -> {
            replied();
            if (error == null) {
                answer.complete(reply);
            } else {
                answer.completeExceptionally(error);
            }
        });
        dispatch(command, answer, before);
        return answer;
    }

    private void dispatch(
            AsyncCommand<String, String, Object> command,
            CompletableFuture<?> answer,
            @Nullable AsyncCommand<String, String, String> before) {
        if (ended != 0) {
            answer.completeExceptionally(StoreException.notSent("The connection to " + server + " has ended", null));
            return;
        }
        if (pending.getAndIncrement() == 0) {
            lastReplyNanos = System.nanoTime();
        }
        try {
            if (before == null) {
                connection.dispatch(command);
            } else {
                List<RedisCommand<String, String, ?>> both = List.of(before, command);
                connection.dispatch(both);
            }
        } catch (RuntimeException e) {
            // The driver did not take the command, so nothing else would ever complete it.
            command.completeExceptionally(e);
        }
    }

    private void replied() {
        pending.decrementAndGet();
        lastReplyNanos = System.nanoTime();
    }

    boolean isSilent(long limitNanos) {
        return pending.get() > 0 && System.nanoTime() - lastReplyNanos > limitNanos;
    }

    /** Ends the connection; calls without a reply fail. Completes once the connection is closed. */
    CompletableFuture<Void> end() {
        if (ENDED.compareAndSet(this, 0, 1)) {
            connection.closeAsync().whenComplete((done, error) -> closed.complete(null));
        }
        return closed;
    }
}
