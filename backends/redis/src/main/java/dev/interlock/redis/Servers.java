package dev.interlock.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/**
 * The servers that hold the locks, and the connections to them. Calls fail with
 * {@link dev.interlock.spi.StoreException}.
 */
interface Servers {
    /** Runs a script on the server that has this slot, and turns the reply into an answer. */
    <T> CompletableFuture<T> call(int slot, ScriptCall call, Function<? super Object, ? extends T> parse);

    /**
     * The same with a call whose content is asked for when the connection encodes it, and does not change afterwards.
     */
    <T> CompletableFuture<T> call(int slot, Supplier<ScriptCall> deferred, Function<? super Object, ? extends T> parse);

    /** The connection to the server that has this slot. */
    CompletableFuture<ServerConnection> connection(int slot);

    /** A second connection to the same server, only for commands that block the connection. */
    CompletableFuture<ServerConnection> reserved(int slot);

    /** A connection to every primary. */
    CompletableFuture<List<ServerConnection>> all();

    /** The server to subscribe to. In a cluster, each call returns the next server. */
    RedisURI subscribeAt();

    /** Whether one server has all locks. Only then does the reply of {@code PUBLISH} count all subscribers. */
    boolean isSingle();

    /** Completes once all connections are closed. */
    CompletableFuture<Void> close();
}
