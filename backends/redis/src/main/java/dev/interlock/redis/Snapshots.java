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
 * Finds locks by the beginnings of their names. Redis keeps no order, so a page costs a scan over all keys; it keeps only as many
 * names as the page has, and looks at those. A whole name is looked up without a scan.
 */
final class Snapshots {
    private static final int SCAN_COUNT = 1_000;

    private final RedisKeys keys;
    private final Servers servers;
    private final Supplier<Instant> wall;

    Snapshots(RedisKeys keys, Servers servers, Supplier<Instant> wall) {
        this.keys = keys;
        this.servers = servers;
        this.wall = wall;
    }

    CompletableFuture<LockPage> take(SnapshotQuery query) {
        if (query.limit() > 1 || query.after().isPresent() || query.prefix().isEmpty()) {
            return scan(query);
        }
        LockKey whole = LockKey.of(query.prefix());
        return describe(List.of(whole))
                .thenCompose(found -> found.isEmpty()
                        ? scan(query)
                        : CompletableFuture.completedFuture(
                                new LockPage(found, Optional.of(whole.name()), wall.get())));
    }

    private CompletableFuture<LockPage> scan(SnapshotQuery query) {
        Smallest names = new Smallest(query);
        return servers.all().thenCompose(wires -> {
            List<CompletableFuture<Void>> scans = new ArrayList<>();
            for (Wire wire : wires) {
                scans.add(scan(wire, keys.pattern(query.prefix()), "0", names));
                scans.add(scan(wire, keys.queuePattern(query.prefix()), "0", names));
            }
            return CompletableFuture.allOf(scans.toArray(CompletableFuture[]::new))
                    .thenCompose(done -> {
                        List<LockKey> page = names.page();
                        Optional<String> next = names.isMore()
                                ? Optional.of(page.get(page.size() - 1).name())
                                : Optional.empty();
                        return describe(page).thenApply(locks -> new LockPage(locks, next, wall.get()));
                    });
        });
    }

    private CompletableFuture<Void> scan(Wire wire, String pattern, String cursor, Smallest names) {
        CommandArgs<String, String> args = new CommandArgs<>(StringCodec.UTF8)
                .add(cursor)
                .add("MATCH")
                .add(pattern)
                .add("COUNT")
                .add(SCAN_COUNT);
        return wire.send(new AsyncCommand<>(new Command<>(CommandType.SCAN, new Reply(), args)))
                .exceptionallyCompose(
                        error -> CompletableFuture.failedFuture(Failures.afterSending(wire.server(), error)))
                .thenCompose(reply -> {
                    List<?> parts = Reply.list(reply);
                    for (Object found : Reply.list(parts.get(1))) {
                        names.add(lockOf(Reply.text(found)));
                    }
                    String next = Reply.text(parts.get(0));
                    return next.equals("0")
                            ? CompletableFuture.completedFuture(null)
                            : scan(wire, pattern, next, names);
                });
    }

    private @Nullable LockKey lockOf(String key) {
        return keys.key(key.startsWith("{") ? key.substring(1, key.lastIndexOf('}')) : key);
    }

    private CompletableFuture<List<LockSnapshot>> describe(List<LockKey> names) {
        return Slots.<LockKey, LockSnapshot>each(names, key -> keys.slot(keys.lock(key)), (slot, group) -> {
                    Call call = new Call(Script.DESCRIBE, 1 + group.size(), 0).key(keys.mark(slot));
                    group.forEach(key -> call.key(keys.lock(key)));
                    return servers.call(slot, call, reply -> {
                        List<?> answers = Reply.list(reply);
                        List<LockSnapshot> locks = new ArrayList<>(group.size());
                        for (int i = 0; i < group.size(); i++) {
                            locks.add(lock(group.get(i), Reply.list(answers.get(i))));
                        }
                        return locks;
                    });
                })
                .thenApply(all -> all.stream()
                        .filter(lock -> !lock.holders().isEmpty() || lock.waiters() > 0)
                        .toList());
    }

    private static LockSnapshot lock(LockKey key, List<?> parts) {
        List<LockSnapshot.Holder> holders = new ArrayList<>();
        for (Object holder : parts.subList(1, parts.size())) {
            holders.add(Answers.holder(Reply.list(holder)));
        }
        return new LockSnapshot(key, holders, (int) Reply.number(parts.get(0)));
    }

    /** The first names of a page, however many a scan finds. */
    private static final class Smallest {
        private final ReentrantLock mutex = new ReentrantLock();
        private final TreeSet<LockKey> names = new TreeSet<>();
        private final String prefix;
        private final @Nullable LockKey after;
        private final int limit;

        Smallest(SnapshotQuery query) {
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

        boolean isMore() {
            return names.size() > limit;
        }

        List<LockKey> page() {
            return names.stream().limit(limit).toList();
        }
    }
}
