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
 * The resource's side of fencing for data that lives in Redis: remembers the highest token of each lock and refuses lower ones, in
 * the same atomic step as the write.
 *
 * <pre>{@code
 * RedisFence fence = RedisFence.over(connection.sync());
 * String stock = fence.key(lease.key(), "stock");
 * fence.raise(lease);                                     // before reading: a late write of the predecessor is refused from now on
 * long left = Long.parseLong(connection.sync().get(stock));
 * fence.write(lease, "SET", stock, Long.toString(left - 1));
 * }</pre>
 *
 * <p>The lock may live in any store, not only in this Redis. Invariants as in {@link dev.interlock.lock.FenceGuard}: the stored token
 * of a lock never falls; an equal token passes only for the same owner; only exclusive leases raise; a shared lease passes while nothing
 * newer was raised; permits are refused.
 *
 * <p>The token is kept in the hash {@code fence:<lock name>} for as long as nobody deletes it: a fence that expires forgets whom to
 * refuse. It is as durable as the data beside it, and no more. When the connection is lost during a write, the write may or may not
 * have been done; that is told as {@link StoreUnavailableException}. As thread-safe as the commands it was given.
 */
public final class RedisFence {
    private static final int TOKEN_DIGITS = 19;

    private final RedisScriptingCommands<String, String> commands;

    private RedisFence(RedisScriptingCommands<String, String> commands) {
        this.commands = commands;
    }

    /** Over {@code connection.sync()} of a connection to a server or a cluster; it stays the caller's. */
    public static RedisFence over(RedisScriptingCommands<String, String> commands) {
        return new RedisFence(Objects.requireNonNull(commands, "commands is null: give connection.sync()"));
    }

    /**
     * A key for data that this lock protects, in the same cluster slot as its fence. Outside a cluster any key will do.
     *
     * @param name what the data is, for example {@code "stock"}
     */
    public String key(LockKey lock, String name) {
        Objects.requireNonNull(name, "name is null: say what the data is");
        return '{' + fence(lock) + "}:" + name;
    }

    /**
     * Raises the fence to this lease's token; call it before reading what the lock protects.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws IllegalArgumentException if the lease is not exclusive
     * @throws StoreUnavailableException if no answer came
     */
    public void raise(Lease lease) {
        if (lease.mode() != LockMode.EXCLUSIVE) {
            throw new IllegalArgumentException("A " + lease.mode() + " lease on \"" + lease.key()
                    + "\" cannot raise a fence: only an exclusive one can, use check for a shared one");
        }
        run(lease, List.of(), List.of());
    }

    /**
     * Passes if this lease may still touch the resource. For a write use {@link #write}: between a check and a later write another
     * holder may come.
     *
     * @throws StaleTokenException if a newer token has been seen
     * @throws IllegalArgumentException if the lease holds permits
     * @throws StoreUnavailableException if no answer came
     */
    public void check(Lease lease) {
        run(lease, List.of(), List.of());
    }

    /**
     * Does one command on one key if this lease may still touch the resource, in the same atomic step.
     *
     * @param command the command, for example {@code "SET"}, {@code "HSET"}, {@code "INCRBY"}, {@code "DEL"}
     * @param key what to write; in a cluster one of {@link #key}
     * @param args what the command takes after its key
     * @return the command's reply as a {@link Long}, a {@link String}, a list of these, or null
     * @throws StaleTokenException if a newer token has been seen; then nothing was written
     * @throws IllegalArgumentException if the lease holds permits
     * @throws LockRefusedException if Redis refuses the command; then nothing was written
     * @throws StoreUnavailableException if no answer came; the write may have been done
     */
    public @Nullable Object write(Lease lease, String command, String key, String... args) {
        Objects.requireNonNull(command, "command is null: for example \"SET\"");
        Objects.requireNonNull(key, "key is null: say what to write");
        List<String> words = new ArrayList<>(1 + args.length);
        words.add(command);
        words.addAll(List.of(args));
        return run(lease, List.of(key), words);
    }

    private @Nullable Object run(Lease lease, List<String> keys, List<String> words) {
        Objects.requireNonNull(lease, "lease is null: acquire one first");
        if (lease.mode() == LockMode.PERMITS) {
            throw new IllegalArgumentException("A lease of permits on \"" + lease.key()
                    + "\" cannot be checked: several hold at once, so their tokens have no order to enforce");
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
        if (Reply.number(reply.get(0)) == 0) {
            throw new StaleTokenException(lease.key(), lease.token(), FencingToken.parse(Reply.text(reply.get(1))));
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
                    "Redis did not answer the write that \"" + lease.key() + "\" guards; it may have been done", e);
        }
    }

    private static String fence(LockKey lock) {
        return "fence:" + RedisKeys.encode(lock.name());
    }

    /** Tokens of equal length compare as texts like the numbers they are. */
    private static String digits(FencingToken token) {
        String digits = token.toString();
        return "0".repeat(TOKEN_DIGITS - digits.length()) + digits;
    }
}
