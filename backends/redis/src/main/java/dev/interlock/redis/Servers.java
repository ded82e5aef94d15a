package dev.interlock.redis;

import io.lettuce.core.RedisURI;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.function.Function;
import java.util.function.Supplier;

/** The servers that hold the locks, and the way to each. Calls fail with {@link dev.interlock.spi.StoreException}. */
interface Servers {
    /** Runs a script on the server that has this slot, and makes an answer of its reply. */
    <T> CompletableFuture<T> call(int slot, Call call, Function<? super Object, ? extends T> parse);

    /** The same with a call that is decided when it is about to be written, and stays what it is from then on. */
    <T> CompletableFuture<T> call(int slot, Supplier<Call> late, Function<? super Object, ? extends T> parse);

    /** The connection to the server that has this slot. */
    CompletableFuture<Wire> wire(int slot);

    /** A connection to the same server that is used for nothing but what blocks it. */
    CompletableFuture<Wire> reserved(int slot);

    /** A connection to every primary. */
    CompletableFuture<List<Wire>> all();

    /** Where to subscribe now; another server at the next call if there are several. */
    RedisURI listenAt();

    /** Whether {@code PUBLISH} counts all subscribers, or only those of one server among many. */
    boolean isAlone();

    /** Done once there is no connection any more. */
    CompletableFuture<Void> close();
}
