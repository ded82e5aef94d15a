package dev.interlock.jdbc.session;

import dev.interlock.lock.LockKey;
import dev.interlock.lock.LockMode;
import dev.interlock.lock.LockSnapshot;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Grant;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.function.Predicate;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The holders of one session in this process, by the name that the database has for the lock.
 *
 * <p>Invariants: as long as a lock has holders here, the session has it at the database exactly once and in their mode;
 * an exclusive holder is alone. Two keys that the database cannot distinguish are one lock here too. Not thread-safe;
 * guarded by {@link SharedSession}.
 */
final class SessionHolders {
    /** One grant. */
    static final class Holder {
        final Grant grant;
        final LockMode mode;
        final String label;

        /** The store that requested it. */
        final Object store;

        private final long grantedNanos;
        private long endNanos;

        Holder(Grant grant, LockMode mode, String label, Object store, long nowNanos, Duration lease) {
            this.grant = grant;
            this.mode = mode;
            this.label = label;
            this.store = store;
            this.grantedNanos = nowNanos;
            this.endNanos = nowNanos + lease.toNanos();
        }

        /** Never shortens: a late renewal does not undo a longer one. */
        Duration extend(Duration lease, long nowNanos) {
            endNanos = Math.max(endNanos, nowNanos + lease.toNanos());
            return left(nowNanos);
        }

        Duration left(long nowNanos) {
            return Duration.ofNanos(Math.max(0, endNanos - nowNanos));
        }

        boolean isHeld(long nowNanos) {
            return endNanos - nowNanos > 0;
        }

        LockSnapshot.Holder describe(long nowNanos) {
            return new LockSnapshot.Holder(
                    label,
                    grant.owner().toString(),
                    mode,
                    1,
                    grant.number(),
                    Duration.ofNanos(Math.max(0, nowNanos - grantedNanos)),
                    left(nowNanos));
        }
    }

    private final Map<String, List<Holder>> byId = new HashMap<>();

    /** The holders of one lock, the oldest first. */
    List<Holder> of(String id) {
        return byId.getOrDefault(id, List.of());
    }

    void add(String id, Holder holder) {
        byId.computeIfAbsent(id, it -> new ArrayList<>(1)).add(holder);
    }

    /** The holder of this attempt, or null. */
    @Nullable
    Holder find(String id, LockKey key, OwnerId owner) {
        for (Holder holder : of(id)) {
            if (holder.grant.owner().equals(owner) && holder.grant.key().equals(key)) {
                return holder;
            }
        }
        return null;
    }

    /** The holder of this very grant, or null if its lease has ended. */
    @Nullable
    Holder find(String id, Grant grant, long nowNanos) {
        Holder holder = find(id, grant.key(), grant.owner());
        return holder != null && holder.grant.number() == grant.number() && holder.isHeld(nowNanos) ? holder : null;
    }

    /** Removes a holder. True if it was the last one, so that the lock must be released at the database. */
    boolean removeLast(String id, Holder holder) {
        List<Holder> all = of(id);
        all.remove(holder);
        if (all.isEmpty()) {
            byId.remove(id);
            return true;
        }
        return false;
    }

    /** Removes all matching holders. Returns the locks without remaining holders, by their former mode. */
    Map<LockMode, List<String>> removeAll(Predicate<Holder> matching) {
        Map<LockMode, List<String>> unheld = new HashMap<>();
        byId.entrySet().removeIf(entry -> {
            LockMode mode = entry.getValue().get(0).mode;
            entry.getValue().removeIf(matching);
            boolean none = entry.getValue().isEmpty();
            if (none) {
                unheld.computeIfAbsent(mode, it -> new ArrayList<>()).add(entry.getKey());
            }
            return none;
        });
        return unheld;
    }

    Set<Grant> grants() {
        return byId.values().stream()
                .flatMap(List::stream)
                .map(holder -> holder.grant)
                .collect(Collectors.toSet());
    }
}
