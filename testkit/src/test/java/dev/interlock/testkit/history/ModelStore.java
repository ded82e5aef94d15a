package dev.interlock.testkit.history;

import dev.interlock.lock.LockMode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/**
 * A minimal lock store: holders with an expiry, a queue per key, and tokens that survive everything.
 *
 * <p>Acquire is idempotent per attempt. Renewal and release name the attempt and the token. An attempt that has ended
 * never comes back. A waiter that stops polling loses its place. A waiter that is granted must poll again soon.
 */
final class ModelStore {
    static final int CAPACITY = 3;
    private static final long PROVISIONAL_LEASE = 4 * ModelProcess.POLL;

    /** One request. */
    record Claim(long attempt, long owner, String key, LockMode mode, int permits, long lease) {}

    /** The token of a grant and its remaining time, or zero and the blocking holder. */
    record Answer(long token, long remaining, long holder) {}

    /**
     * A wait that its process has reported: which attempt, for which holder, since when, and when it was last reported.
     */
    record Row(long attempt, long holder, long since, long reportedAt) {}

    private static final class Entry {
        final Claim claim;
        long token;
        long expiry;
        long seen;
        boolean confirmed;

        Entry(Claim claim) {
            this.claim = claim;
        }
    }

    private final ModelWorld world;
    private final Map<String, List<Entry>> holders = new TreeMap<>();
    private final Map<String, List<Entry>> queues = new TreeMap<>();
    private final Set<Long> finished = new HashSet<>();
    private final ModelTokens tokens;
    final Map<Long, Row> rows = new HashMap<>();
    private long clockOffset;
    private boolean up = true;
    private boolean expires = true;

    ModelStore(ModelWorld world) {
        this.world = world;
        this.tokens = new ModelTokens(world);
    }

    boolean up() {
        return up;
    }

    Answer acquire(Claim claim) {
        if (finished.contains(claim.attempt())) {
            return new Answer(0, 0, 0);
        }
        sweep(claim.key());
        for (Entry holder : holdersOf(claim.key())) {
            if (holder.claim.attempt() == claim.attempt()) {
                return confirm(holder);
            }
        }
        Entry waiter = waiter(claim);
        grantNext(claim.key());
        return waiter.token != 0 ? confirm(waiter) : new Answer(0, 0, blockingHolder(claim));
    }

    /** The first answer that reports a grant gives it its full length. Repeated requests do not extend it. */
    private Answer confirm(Entry holder) {
        if (!holder.confirmed) {
            holder.confirmed = true;
            extend(holder, holder.claim.lease());
        }
        return new Answer(holder.token, holder.expiry - clock(), 0);
    }

    boolean renew(Claim claim, long token) {
        sweep(claim.key());
        for (Entry holder : holdersOf(claim.key())) {
            boolean same = holder.claim.attempt() == claim.attempt() && holder.token == token;
            if (same || world.has(PlantedBug.RENEW_WITHOUT_TOKEN_COMPARE)) {
                extend(holder, claim.lease());
                return true;
            }
        }
        return false;
    }

    boolean release(Claim claim, long token) {
        finished.add(claim.attempt());
        sweep(claim.key());
        boolean removed = holdersOf(claim.key())
                .removeIf(holder -> world.has(PlantedBug.RELEASE_WITHOUT_OWNER_COMPARE)
                        || (holder.claim.attempt() == claim.attempt() && holder.token == token));
        tokens.deleted();
        grantNext(claim.key());
        return removed;
    }

    /** Ends the wait: leaves the queue and releases a grant made in between. */
    boolean withdraw(Claim claim) {
        finished.add(claim.attempt());
        rows.remove(claim.owner());
        queueOf(claim.key()).removeIf(waiter -> waiter.claim.attempt() == claim.attempt());
        holdersOf(claim.key()).removeIf(holder -> holder.claim.attempt() == claim.attempt());
        grantNext(claim.key());
        return true;
    }

    /** A process reports which holder it waits for. An old message never replaces a newer one. */
    void post(long scope, Row row) {
        rows.merge(scope, row, (old, fresh) -> old.reportedAt() > fresh.reportedAt() ? old : fresh);
    }

    void stop() {
        up = false;
    }

    void start(boolean keptMemory) {
        up = true;
        if (!keptMemory) {
            holders.clear();
            queues.clear();
            finished.clear();
            rows.clear();
        }
        tokens.restarted(holders.values().stream()
                .flatMap(List::stream)
                .mapToLong(holder -> holder.token)
                .max()
                .orElse(0));
        expires = !world.has(PlantedBug.NOTHING_EXPIRES_AFTER_RESTART);
    }

    void stepClock(long by) {
        clockOffset += by;
        List.copyOf(holders.keySet()).forEach(this::sweepAndGrant);
    }

    long nextToken(String key) {
        return tokens.next(key);
    }

    /** Records what the store reports after all work is over. */
    void checkAtRest(String key, Recorder recorder) {
        sweep(key);
        List<Entry> left = holdersOf(key);
        if (left.isEmpty()) {
            recorder.freeAtRest(key);
        }
        left.forEach(holder -> recorder.heldAtRest(key, holder.claim.owner(), holder.token));
    }

    private Entry waiter(Claim claim) {
        List<Entry> queue = queueOf(claim.key());
        for (Entry waiter : queue) {
            if (waiter.claim.attempt() == claim.attempt()) {
                waiter.seen = world.now();
                return waiter;
            }
        }
        Entry waiter = new Entry(claim);
        waiter.seen = world.now();
        queue.add(waiter);
        return waiter;
    }

    private void grantNext(String key) {
        List<Entry> queue = queueOf(key);
        queue.removeIf(waiter -> waiter.seen + PROVISIONAL_LEASE < world.now());
        while (!queue.isEmpty() && fits(queue.get(0).claim)) {
            Entry next = queue.remove(0);
            next.token = tokens.next(key);
            holdersOf(key).add(next);
            extend(next, PROVISIONAL_LEASE);
        }
    }

    private boolean fits(Claim claim) {
        int taken = 0;
        for (Entry holder : holdersOf(claim.key())) {
            LockMode mode = holder.claim.mode();
            if (mode == LockMode.EXCLUSIVE
                    && claim.mode() == LockMode.SHARED
                    && world.has(PlantedBug.SHARED_BESIDE_EXCLUSIVE)) {
                continue;
            }
            if (mode != claim.mode() || mode == LockMode.EXCLUSIVE) {
                return false;
            }
            taken += world.has(PlantedBug.PERMITS_COUNTED_BY_HOLDERS) ? 1 : holder.claim.permits();
        }
        int wanted = world.has(PlantedBug.PERMITS_COUNTED_BY_HOLDERS) ? 1 : claim.permits();
        return claim.mode() != LockMode.PERMITS || taken + wanted <= CAPACITY;
    }

    private void extend(Entry holder, long lease) {
        holder.expiry = Math.max(holder.expiry, clock() + lease);
        world.in(holder.expiry - clock(), () -> sweepAndGrant(holder.claim.key()));
    }

    private void sweepAndGrant(String key) {
        if (up) {
            sweep(key);
            grantNext(key);
        }
    }

    private void sweep(String key) {
        if (expires) {
            holdersOf(key).removeIf(holder -> holder.expiry <= clock());
        }
    }

    private long blockingHolder(Claim claim) {
        List<Entry> current = holdersOf(claim.key());
        return current.isEmpty() ? 0 : current.get(0).claim.owner();
    }

    private long clock() {
        return world.now() + clockOffset;
    }

    private List<Entry> holdersOf(String key) {
        return holders.computeIfAbsent(key, any -> new ArrayList<>());
    }

    private List<Entry> queueOf(String key) {
        return queues.computeIfAbsent(key, any -> new ArrayList<>());
    }
}
