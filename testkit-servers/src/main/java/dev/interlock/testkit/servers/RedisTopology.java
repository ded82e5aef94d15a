package dev.interlock.testkit.servers;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/**
 * Several Redis servers that form one deployment.
 *
 * @since 0.1.0
 */
public abstract sealed class RedisTopology extends ServerFixture
        permits RedisReplicated, RedisSentinel, RedisCluster, RedisIndependent {
    private static final Duration SETTLED_WITHIN = Duration.ofSeconds(60);
    private static final long POLL_NANOS = 20_000_000;

    /** A primary's line about an online replica: the offset that the replica has acknowledged. */
    private static final Pattern ACKNOWLEDGED = Pattern.compile("^slave\\d+:.*state=online,offset=(\\d+)");

    RedisTopology(String variable, boolean shared) {
        super(variable, shared);
    }

    /**
     * Sends one command to one server and returns the answer as text; the elements of an array are joined by line
     * feeds.
     *
     * @throws UncheckedIOException if the server does not answer or answers with an error
     */
    public final String command(ServerNode node, String... words) {
        try {
            return Resp.send(node, words);
        } catch (IOException e) {
            throw new UncheckedIOException(node.toString(), e);
        }
    }

    final ServerNode server(Map<String, String> settings) {
        return node(new RedisRecipe(RedisVersion.V7_0, settings), false);
    }

    final ServerNode replicaOf(ServerNode primary) {
        return server(Map.of("replicaof", primary.host() + " " + primary.port(), "repl-diskless-sync-delay", "0"));
    }

    /** One line of {@code INFO}. */
    final Optional<String> info(ServerNode node, String section, String name) {
        return command(node, "INFO", section)
                .lines()
                .filter(line -> line.startsWith(name + ":"))
                .map(line -> line.substring(name.length() + 1).strip())
                .findFirst();
    }

    final boolean isLinked(ServerNode replica) {
        return info(replica, "replication", "master_link_status").equals(Optional.of("up"));
    }

    /**
     * Waits until the replicas have acknowledged an offset. It is not enough that a replica reports its link as up: its
     * primary sends it nothing before its first acknowledgement, which may take a second, and until then {@code WAIT}
     * does not count it.
     */
    final void awaitAcknowledged(ServerNode primary, int replicas) {
        command(primary, "PUBLISH", "interlock:ready", "");
        long offset = Long.parseLong(
                info(primary, "replication", "master_repl_offset").orElseThrow());
        await("the replicas acknowledge", () -> acknowledged(primary, offset) == replicas);
    }

    private long acknowledged(ServerNode primary, long offset) {
        return command(primary, "INFO", "replication")
                .lines()
                .map(ACKNOWLEDGED::matcher)
                .filter(line -> line.find() && Long.parseLong(line.group(1)) >= offset)
                .count();
    }

    /**
     * Disconnects the replicas from their primary and from nothing else: each replica gets the login of a user that
     * does not exist, and its connection is closed.
     */
    final void cutReplication(ServerNode primary, List<ServerNode> replicas) {
        for (ServerNode replica : replicas) {
            command(replica, "CONFIG", "SET", "masteruser", "cut-off");
            command(replica, "CONFIG", "SET", "masterauth", "cut-off");
        }
        command(primary, "CLIENT", "KILL", "TYPE", "replica");
        await("the replicas are cut off", () -> replicas.stream().noneMatch(this::isLinked));
    }

    /**
     * Reconnects whichever servers are replicas now. That may change until they follow: Sentinels that find a primary
     * slow choose another one, and then the former primary must follow too.
     */
    final void healReplication(List<ServerNode> servers, Supplier<List<ServerNode>> replicas) {
        for (ServerNode server : servers) {
            command(server, "CONFIG", "SET", "masteruser", "");
            command(server, "CONFIG", "SET", "masterauth", "");
        }
        await("the replicas follow again", () -> replicas.get().stream().allMatch(this::isLinked));
    }

    /** A condition that must become true; it is false if a server does not answer. */
    interface Condition {
        boolean holds();
    }

    final void await(String what, Condition condition) {
        long deadline = System.nanoTime() + SETTLED_WITHIN.toNanos();
        while (!holds(condition)) {
            if (System.nanoTime() > deadline) {
                throw new IllegalStateException("Waited 60 s until " + what + ".");
            }
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static boolean holds(Condition condition) {
        try {
            return condition.holds();
        } catch (UncheckedIOException notYet) {
            return false;
        }
    }
}
