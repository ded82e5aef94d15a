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
 * Who in this process holds which lock of one session, by the names the database knows the locks by.
 *
 * <p>Invariants: the session has a lock at the database exactly once, and in their mode, as long as it has holders here; an exclusive
 * holder is alone. Two keys that the database cannot tell apart are one lock here too. Pure; guarded by the lane.
 */
final class Holders {
    /** One grant. */
    static final class Holder {
        final Grant grant;
        final LockMode mode;
        final String label;

        /** By whose store it was asked for. */
        final Object store;

        private final long sinceNanos;
        private long endNanos;

        Holder(Grant grant, LockMode mode, String label, Object store, long nowNanos, Duration lease) {
            this.grant = grant;
            this.mode = mode;
            this.label = label;
            this.store = store;
            this.sinceNanos = nowNanos;
            this.endNanos = nowNanos + lease.toNanos();
        }

        /** Never shortens: a renewal that was overtaken by a longer one changes nothing. */
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
                    Duration.ofNanos(Math.max(0, nowNanos - sinceNanos)),
                    left(nowNanos));
        }
    }

    private final Map<String, List<Holder>> byId = new HashMap<>();

    /** Those of one lock, the oldest first. */
    List<Holder> of(String id) {
        return byId.getOrDefault(id, List.of());
    }

    void add(String id, Holder holder) {
        byId.computeIfAbsent(id, it -> new ArrayList<>(1)).add(holder);
    }

    /** The holder that an attempt has become. */
    @Nullable
    Holder find(String id, LockKey key, OwnerId owner) {
        for (Holder holder : of(id)) {
            if (holder.grant.owner().equals(owner) && holder.grant.key().equals(key)) {
                return holder;
            }
        }
        return null;
    }

    /** The very grant, if its lease is not over. */
    @Nullable
    Holder find(String id, Grant grant, long nowNanos) {
        Holder holder = find(id, grant.key(), grant.owner());
        return holder != null && holder.grant.number() == grant.number() && holder.isHeld(nowNanos) ? holder : null;
    }

    /** Takes a holder out; true if it was the last one, so that the lock itself is to be given back. */
    boolean removeLast(String id, Holder holder) {
        List<Holder> all = of(id);
        all.remove(holder);
        if (all.isEmpty()) {
            byId.remove(id);
            return true;
        }
        return false;
    }

    /** Takes all holders out that are meant; answers which locks have none left, by the mode in which they were held. */
    Map<LockMode, List<String>> removeAll(Predicate<Holder> meant) {
        Map<LockMode, List<String>> left = new HashMap<>();
        byId.entrySet().removeIf(entry -> {
            LockMode mode = entry.getValue().get(0).mode;
            entry.getValue().removeIf(meant);
            boolean none = entry.getValue().isEmpty();
            if (none) {
                left.computeIfAbsent(mode, it -> new ArrayList<>()).add(entry.getKey());
            }
            return none;
        });
        return left;
    }

    Set<Grant> grants() {
        return byId.values().stream()
                .flatMap(List::stream)
                .map(holder -> holder.grant)
                .collect(Collectors.toSet());
    }
}
