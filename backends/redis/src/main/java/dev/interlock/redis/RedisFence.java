package dev.interlock.redis;

import dev.interlock.lock.FencingToken;
import dev.interlock.lock.Lease;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockRefusedException;
import dev.interlock.lock.StaleTokenException;
import dev.interlock.lock.StoreUnavailableException;
import io.lettuce.core.RedisCommandExecutionException;
import io.lettuce.core.RedisException;
import io.lettuce.core.RedisNoScriptException;
import io.lettuce.core.ScriptOutputType;
import io.lettuce.core.api.sync.RedisScriptingCommands;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.jspecify.annotations.Nullable;

/**
 * The fence of data in Redis: remembers the highest token of each lock and rejects lower ones, in the same atomic step
 * as the write.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.over(connection.sync());
 * String stock = fence.key(lease.key(), "stock");
 * fence.raise(lease);                                     // before reading: rejects late writes of the previous holder
 * long left = Long.parseLong(connection.sync().get(stock));
 * fence.write(lease, "SET", stock, Long.toString(left - 1));
 * }</pre>
 *
 * <p>The lock can be in any store, not only in this Redis. The invariants are those of
 * {@link dev.interlock.lock.FenceGuard}: the stored token of a lock never falls; an equal token passes only for the
 * same owner; only an exclusive lease raises the fence; a shared lease passes unless a newer token was seen; permits
 * are rejected.
 *
 * <p>The token is stored in the hash {@code fence:<lock name>} without an expiry: a fence that expires no longer
 * rejects stale writes. It is as durable as the data beside it, and no more. When the connection is lost during a
 * write, the write may or may not have happened; the call then throws {@link StoreUnavailableException}. As thread-safe
 * as the commands it was given.
 *
 * @since 0.1.0
 */
public final class RedisFence {
    private static final int TOKEN_DIGITS = 19;

    private final RedisScriptingCommands<String, String> commands;

    private RedisFence(RedisScriptingCommands<String, String> commands) {
        this.commands = commands;
    }

    /**
     * A fence over {@code connection.sync()} of a connection to a server or a cluster. The caller keeps and closes the
     * connection.
     */
    public static RedisFence over(RedisScriptingCommands<String, String> commands) {
        return new RedisFence(Objects.requireNonNull(commands, "commands is null: give connection.sync()"));
    }

    /**
     * A key for data that this lock protects, in the same cluster slot as its fence. Outside a cluster, any key can be
     * used.
     *
     * @param name the name of the data, for example {@code "stock"}
     */
    public String key(LockKey lock, String name) {
        Objects.requireNonNull(name, "name is null: name the data, for example \"stock\"");
        return '{' + fence(lock) + "}:" + name;
    }

    /**
     * Raises the fence to this lease's token. Call it before reading what the lock protects.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws IllegalArgumentException if the lease is not exclusive
     * @throws StoreUnavailableException if Redis did not reply
     */
    public void raise(Lease lease) {
        if (lease.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("A " + lease.mode() + " lease on \"" + lease.key()
                    + "\" cannot raise a fence: only an exclusive lease can, use check for a shared one");
        }
        run(lease, List.of(), List.of());
    }

    /**
     * Returns if no newer token has been seen. To write, use {@link #write}: between a check and a later write, another
     * holder can get the lock.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws IllegalArgumentException if the lease holds permits
     * @throws StoreUnavailableException if Redis did not reply
     */
    public void check(Lease lease) {
        run(lease, List.of(), List.of());
    }

    /**
     * Runs one command on one key if no newer token has been seen, in the same atomic step.
     *
     * @param command the command, for example {@code "SET"}, {@code "HSET"}, {@code "INCRBY"}, {@code "DEL"}
     * @param key the key to write; in a cluster one from {@link #key}
     * @param args the arguments of the command after its key
     * @return the command's reply as a {@link Long}, a {@link String}, a list of these, or null
     * @throws StaleTokenException if a newer token has been seen; nothing was written
     * @throws IllegalArgumentException if the lease holds permits
     * @throws LockRefusedException if Redis refuses the command; nothing was written
     * @throws StoreUnavailableException if Redis did not reply; the write may have happened
     */
    public @Nullable Object write(Lease lease, String command, String key, String... args) {
        Objects.requireNonNull(command, "command is null: for example \"SET\"");
        Objects.requireNonNull(key, "key is null: name the key to write");
        List<String> words = new ArrayList<>(1 + args.length);
        words.add(command);
        words.addAll(List.of(args));
        return run(lease, List.of(key), words);
    }

    private @Nullable Object run(Lease lease, List<String> keys, List<String> words) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        if (lease.mode() == LockMode.PERMITS) {
            throw new IllegalArgumentException("A lease of permits on \"" + lease.key()
                    + "\" cannot be checked: permits have several holders at once, so their tokens have no order");
        }
        List<String> allKeys = new ArrayList<>(1 + keys.size());
        allKeys.add(fence(lease.key()));
        allKeys.addAll(keys);
        List<String> args = new ArrayList<>(3 + words.size());
        args.add(digits(lease.token()));
        args.add(lease.owner().value());
        args.add(lease.mode() == LockMode.EXCLUSIVE ? "1" : "0");
        args.addAll(words);
        List<?> reply = call(lease, allKeys.toArray(String[]::new), args.toArray(String[]::new));
        if (RedisReply.number(reply.get(0)) == 0) {
            throw new StaleTokenException(
                    lease.key(), lease.token(), FencingToken.parse(RedisReply.text(reply.get(1))));
        }
        return reply.size() > 1 ? reply.get(1) : null;
    }

    private List<?> call(Lease lease, String[] keys, String[] args) {
        try {
            try {
                return commands.<List<Object>>evalsha(Script.FENCE.digest(), ScriptOutputType.MULTI, keys, args);
            } catch (RedisNoScriptException notLoaded) {
                return commands.<List<Object>>eval(Script.FENCE.text(), ScriptOutputType.MULTI, keys, args);
            }
        } catch (RedisCommandExecutionException e) {
            throw new LockRefusedException(
                    "Redis refuses the write that \"" + lease.key() + "\" guards: " + e.getMessage());
        } catch (RedisException e) {
            throw new StoreUnavailableException(
                    "Redis did not reply to the write that \"" + lease.key() + "\" guards; the write may have happened",
                    e);
        }
    }

    private static String fence(LockKey lock) {
        return "fence:" + RedisKeys.encode(lock.name());
    }

    /** Padded with zeros, so that tokens compare as strings in the order of their numbers. */
    private static String digits(FencingToken token) {
        String digits = token.toString();
        return "0".repeat(TOKEN_DIGITS - digits.length()) + digits;
    }
}
