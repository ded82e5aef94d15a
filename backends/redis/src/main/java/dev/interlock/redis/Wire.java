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
 * One connection to one server that has been checked and whose counter has been raised. It never reconnects: when it ends, every
 * call without an answer fails, and nothing is sent again.
 *
 * <p>A server that keeps silent while calls wait for it, longer than the limit, counts as gone; a cut cable says nothing either.
 */
final class Wire {
    private static final AtomicIntegerFieldUpdater<Wire> ENDED =
            AtomicIntegerFieldUpdater.newUpdater(Wire.class, "ended");

    private final StatefulRedisConnection<String, String> connection;
    private final RedisURI uri;
    private final String server;
    private final ServerFacts facts;
    private final AtomicLongArray raised;
    private final AtomicInteger pending = new AtomicInteger();
    private final ReplicaWait replication = new ReplicaWait(this);
    private final long quarantineEnd;
    private final CompletableFuture<Void> closed = new CompletableFuture<>();
    private volatile long heardNanos = System.nanoTime();
    private volatile int ended;

    Wire(
            StatefulRedisConnection<String, String> connection,
            RedisURI uri,
            String server,
            ServerFacts facts,
            int slots,
            long quarantineMillis) {
        this.quarantineEnd = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(quarantineMillis);
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

    /** For how long slots that are raised later must stay closed, because this server may have forgotten what it granted. */
    long quarantineMillis() {
        return Math.max(0, TimeUnit.NANOSECONDS.toMillis(quarantineEnd - System.nanoTime()));
    }

    /** Tells if the server is not the primary any more that it was when this connection was made. */
    void checkRole(Runnable changed) {
        send(new AsyncCommand<>(new Command<>(
                        CommandType.INFO, new Reply(), new CommandArgs<>(StringCodec.UTF8).add("replication"))))
                .thenAccept(info -> {
                    if (!new ServerFacts(Reply.text(info)).isSamePrimary(facts)) {
                        changed.run();
                    }
                });
    }

    ReplicaWait replication() {
        return replication;
    }

    /** Whether the slot's counter has been raised over this very connection. */
    boolean isRaised(int slot) {
        return (raised.get(slot / Long.SIZE) & 1L << slot) != 0;
    }

    void raised(int slot) {
        raised.accumulateAndGet(slot / Long.SIZE, 1L << slot, (a, b) -> a | b);
    }

    /**
     * Runs a script. Fails with the driver's exception, as {@code failure} words it.
     *
     * @param parse makes an answer of the reply
     */
    <T> CompletableFuture<T> call(
            Call call, Function<? super Object, ? extends T> parse, Function<Throwable, Throwable> failure) {
        return call(call.byDigest(), () -> call, parse, failure);
    }

    /** Runs a script that is decided when it is about to be written. */
    <T> CompletableFuture<T> call(
            Supplier<Call> late, Function<? super Object, ? extends T> parse, Function<Throwable, Throwable> failure) {
        return call(Call.byDigest(late), late, parse, failure);
    }

    private <T> CompletableFuture<T> call(
            AsyncCommand<String, String, Object> command,
            Supplier<Call> call,
            Function<? super Object, ? extends T> parse,
            Function<Throwable, Throwable> failure) {
        CompletableFuture<T> answer = new CompletableFuture<>();
        // One callback and no chain of stages: this is the path that every lock takes.
        command.whenComplete((reply, error) -> {
            answered();
            if (error == null) {
                complete(answer, reply, parse, failure);
            } else if (Failures.code(error).equals("NOSCRIPT")) {
                // The server has forgotten its scripts and did nothing; with the text it learns this one again.
                callByText(call.get(), parse, failure, answer);
            } else {
                answer.completeExceptionally(failure.apply(error));
            }
        });
        dispatch(command, answer, null);
        return answer;
    }

    private <T> void callByText(
            Call call,
            Function<? super Object, ? extends T> parse,
            Function<Throwable, Throwable> failure,
            CompletableFuture<T> answer) {
        AsyncCommand<String, String, Object> command = call.byText();
        command.whenComplete((reply, error) -> {
            answered();
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

    /** Runs a script on a slot that is on its way to this server. */
    CompletableFuture<Object> callAsking(Call call) {
        // With its text: a second try would need to ask again.
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
            answered();
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
            answer.completeExceptionally(
                    StoreException.notSent("The connection to " + server + " has just ended", null));
            return;
        }
        if (pending.getAndIncrement() == 0) {
            heardNanos = System.nanoTime();
        }
        try {
            if (before == null) {
                connection.dispatch(command);
            } else {
                List<RedisCommand<String, String, ?>> both = List.of(before, command);
                connection.dispatch(both);
            }
        } catch (RuntimeException e) {
            // Told like every other end of a call; whoever waits for it would wait for ever.
            command.completeExceptionally(e);
        }
    }

    private void answered() {
        pending.decrementAndGet();
        heardNanos = System.nanoTime();
    }

    boolean isSilent(long limitNanos) {
        return pending.get() > 0 && System.nanoTime() - heardNanos > limitNanos;
    }

    /** Ends it; calls without an answer fail. Done once the connection is closed. */
    CompletableFuture<Void> end() {
        if (ENDED.compareAndSet(this, 0, 1)) {
            connection.closeAsync().whenComplete((done, error) -> closed.complete(null));
        }
        return closed;
    }
}
