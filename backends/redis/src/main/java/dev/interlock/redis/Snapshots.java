package dev.interlock.redis;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockPage;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.spi.SnapshotQuery;
import io.lettuce.core.codec.StringCodec;
import io.lettuce.core.protocol.AsyncCommand;
import io.lettuce.core.protocol.Command;
import io.lettuce.core.protocol.CommandArgs;
import io.lettuce.core.protocol.CommandType;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.ReentrantLock;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Finds locks by the prefix of their names. Redis keys have no order, so each page costs a scan over all keys. The scan
 * remembers only as many names as the page holds, and describes only those. A full name is looked up without a scan.
 */
final class Snapshots {
    private static final int SCAN_COUNT = 1_000;

    private final RedisKeys keys;
    private final Servers servers;
    private final RedisCalls calls;
    private final Supplier<Instant> wall;

    Snapshots(RedisKeys keys, Servers servers, RedisCalls calls, Supplier<Instant> wall) {
        this.keys = keys;
        this.servers = servers;
        this.calls = calls;
        this.wall = wall;
    }

    CompletableFuture<LockPage> take(SnapshotQuery query) {
        if (query.limit() > 1 || query.after().isPresent() || query.prefix().isEmpty()) {
            return scan(query);
        }
        LockKey fullName = LockKey.of(query.prefix());
        return describe(List.of(fullName))
                .thenCompose(found -> found.isEmpty()
                        ? scan(query)
                        : CompletableFuture.completedFuture(
                                new LockPage(found, Optional.of(fullName.name()), wall.get())));
    }

    private CompletableFuture<LockPage> scan(SnapshotQuery query) {
        FirstNames names = new FirstNames(query);
        return servers.all().thenCompose(connections -> {
            List<CompletableFuture<Void>> scans = new ArrayList<>();
            for (ServerConnection connection : connections) {
                scans.add(scan(connection, keys.pattern(query.prefix()), "0", names));
                scans.add(scan(connection, keys.queuePattern(query.prefix()), "0", names));
            }
            return CompletableFuture.allOf(scans.toArray(CompletableFuture[]::new))
                    .thenCompose(done -> {
                        List<LockKey> page = names.page();
                        Optional<String> next = names.hasMore()
                                ? Optional.of(page.get(page.size() - 1).name())
                                : Optional.empty();
                        return describe(page).thenApply(locks -> new LockPage(locks, next, wall.get()));
                    });
        });
    }

    private CompletableFuture<Void> scan(ServerConnection connection, String pattern, String cursor, FirstNames names) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8)
                .add(cursor)
                .add("MATCH")
                .add(pattern)
                .add("COUNT")
                .add(SCAN_COUNT);
        return connection
                .send(new AsyncCommand<>(new Command<>(CommandType.SCAN, new RedisReply(), args)))
                .exceptionallyCompose(
                        error -> CompletableFuture.failedFuture(RedisErrors.afterSending(connection.server(), error)))
                .thenCompose(reply -> {
                    List<?> parts = RedisReply.list(reply);
                    for (Object found : RedisReply.list(parts.get(1))) {
                        names.add(lockOf(RedisReply.text(found)));
                    }
                    String next = RedisReply.text(parts.get(0));
                    return next.equals("0")
                            ? CompletableFuture.completedFuture(null)
                            : scan(connection, pattern, next, names);
                });
    }

    private @Nullable LockKey lockOf(String key) {
        return keys.key(key.startsWith("{") ? key.substring(1, key.lastIndexOf('}')) : key);
    }

    private CompletableFuture<List<LockSnapshot>> describe(List<LockKey> names) {
        return SlotGroups.<LockKey, LockSnapshot>each(
                        names,
                        key -> keys.slot(keys.lock(key)),
                        (slot, group) -> servers.call(
                                slot, calls.describe(slot, group), reply -> RedisCalls.described(reply, group)))
                .thenApply(all -> all.stream()
                        .filter(lock -> !lock.holders().isEmpty() || lock.waiters() > 0)
                        .toList());
    }

    /** The first names in order, as many as the page holds and one more. */
    private static final class FirstNames {
        private final ReentrantLock mutex = new ReentrantLock();
        private final TreeSet<LockKey> names = new TreeSet<>();
        private final String prefix;
        private final @Nullable LockKey after;
        private final int limit;

        FirstNames(SnapshotQuery query) {
            this.prefix = query.prefix();
            this.after = query.after().map(LockKey::of).orElse(null);
            this.limit = query.limit();
        }

        void add(@Nullable LockKey key) {
            if (key == null || !key.name().startsWith(prefix) || (after != null && key.compareTo(after) <= 0)) {
                return;
            }
            mutex.lock();
            try {
                if (names.size() <= limit || key.compareTo(names.last()) < 0) {
                    names.add(key);
                    if (names.size() > limit + 1) {
                        names.pollLast();
                    }
                }
            } finally {
                mutex.unlock();
            }
        }

        boolean hasMore() {
            return names.size() > limit;
        }

        List<LockKey> page() {
            return names.stream().limit(limit).toList();
        }
    }
}
