package dev.interlock.redis;

import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Duration;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/**
 * Asks how many replicas have all that one connection has written, with one {@code WAIT} at a time. Each blocks the connection for a trip
 * to the replica and back; whoever asks meanwhile shares the next one, else many grants at once would wait for each other's trips.
 */
final class ReplicaWait {
    private final Wire wire;
    private boolean underWay; // guarded by this
    private @Nullable CompletableFuture<Object> next; // guarded by this

    ReplicaWait(Wire wire) {
        this.wire = wire;
    }

    /** Speaks for everything that the caller has sent before over the same connection. */
    CompletableFuture<Object> replicas(int wanted, Duration within) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        synchronized (this) {
            if (underWay) {
                if (next == null) {
                    next = answer;
                }
                return next;
            }
            underWay = true;
        }
        ask(wanted, within, answer);
        return answer;
    }

    private void ask(int wanted, Duration within, CompletableFuture<Object> answer) {
        AsyncCommand<String, String, Object> command = new AsyncCommand<>(new Command<>(
                CommandType.WAIT,
                new Reply(),
                new CommandArgs<>(StringCodec.UTF8).add(wanted).add(within.toMillis())));
        wire.send(command).whenComplete((replicas, error) -> {
            CompletableFuture<Object> following;
            synchronized (this) {
                following = next;
                next = null;
                underWay = following != null;
            }
            if (following != null) {
                ask(wanted, within, following);
            }
            if (error == null) {
                answer.complete(replicas);
            } else {
                answer.completeExceptionally(error);
            }
        });
    }
}
