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
 * Asks how many replicas have received all writes of one connection, with one {@code WAIT} at a time. Each {@code WAIT}
 * blocks the connection for a round trip to the replicas. Calls that arrive during one share the next one; otherwise
 * concurrent grants would wait for one round trip each.
 *
 * <p>Thread-safe.
 */
final class ReplicaWait {
    private final ServerConnection connection;
    private boolean pending; // guarded by this
    private @Nullable CompletableFuture<Object> next; // guarded by this

    ReplicaWait(ServerConnection connection) {
        this.connection = connection;
    }

    /** The number of replicas that have received everything the caller sent over this connection before. */
    CompletableFuture<Object> replicas(int wanted, Duration within) {
        CompletableFuture<Object> answer = new CompletableFuture<>();
        synchronized (this) {
            if (pending) {
                if (next == null) {
                    next = answer;
                }
                return next;
            }
            pending = true;
        }
        send(wanted, within, answer);
        return answer;
    }

    private void send(int wanted, Duration within, CompletableFuture<Object> answer) {
        AsyncCommand<String, String, Object> command = new AsyncCommand<>(new Command<>(
                CommandType.WAIT,
                new RedisReply(),
                new CommandArgs<>(StringCodec.UTF8).add(wanted).add(within.toMillis())));
        connection.send(command).whenComplete((replicas, error) -> {
            CompletableFuture<Object> following;
            synchronized (this) {
                following = next;
                next = null;
                pending = following != null;
            }
            if (following != null) {
                send(wanted, within, following);
            }
            if (error == null) {
                answer.complete(replicas);
            } else {
                answer.completeExceptionally(error);
            }
        });
    }
}
