package dev.interlock.internal.lock;

import dev.interlock.internal.runtime.EngineRuntime;
import dev.interlock.lock.LockKey;
import dev.interlock.lock.LossReason;
import dev.interlock.lock.OwnerId;
import dev.interlock.spi.Attempt;
import dev.interlock.spi.Claim;
import dev.interlock.spi.Grant;
import dev.interlock.spi.Granted;
import dev.interlock.spi.StoreListener;
import java.util.List;
import java.util.concurrent.ConcurrentHashMap;

/**
 * The places of this process at the store, the pushes for them, and the clean-up of attempts that no request waits for.
 *
 * <p>Invariant: a grant that a request waits for or holds is never returned as an orphaned grant. Thread-safe.
 */
final class QueuePlaces implements StoreListener {
    /** A push can overtake its answer and is kept for it. If there are more such pushes, they count as orphaned. */
    private static final int MAX_EARLY_PUSHES = 1024;

    private final EngineRuntime runtime;
    private final Gates gates;
    private final Releases releases;
    private final Watchdog watchdog;
    private final ConcurrentHashMap<OwnerId, QueuePlace> places = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<OwnerId, Granted> earlyPushes = new ConcurrentHashMap<>();

    QueuePlaces(EngineRuntime runtime, Gates gates, Releases releases, Watchdog watchdog) {
        this.runtime = runtime;
        this.gates = gates;
        this.releases = releases;
        this.watchdog = watchdog;
    }

    // ---- places -------------------------------------------------------------------------------------------------

    /** Adds a place. Must be called before the place is visible in its gate, since a push may arrive at once. */
    void add(QueuePlace place) {
        places.put(place.id, place);
    }

    /** Removes a place that has ended. */
    void forget(QueuePlace place) {
        places.remove(place.id, place);
        place.end();
    }

    /** Removes a place that no request wants any more, and withdraws it from the store. */
    void abandon(QueuePlace place) {
        forget(place);
        if (place.queued) {
            withdraw(place.id, List.of(place.claim.key()), runtime.now() + 2 * Protocol.HEARTBEAT_WITHIN.toNanos());
        }
    }

    void schedule(QueuePlace place, long pauseNanos) {
        runtime.timetable().set(place, runtime.now() + pauseNanos);
    }

    void cancel(QueuePlace place) {
        runtime.timetable().cancel(place);
    }

    /** Sends the heartbeat of a queued place with the next batch; polls for any other. */
    void recheckLater(QueuePlace place) {
        if (place.queued) {
            watchdog.recheckLater(place);
        } else {
            runtime.lane().execute(place::askAgain);
        }
    }

    private boolean isWaitedFor(OwnerId id, LockKey key) {
        QueuePlace place = places.get(id);
        return place != null && place.claim.key().equals(key);
    }

    // ---- attempts without a request -----------------------------------------------------------------------------

    /** Finds out what an attempt was granted whose answer was lost and which is not repeated, and returns it. */
    void resolve(Attempt attempt) {
        List<LockKey> keys = attempt.claims().stream().map(Claim::key).toList();
        long over = runtime.now() + attempt.claims().get(0).lease().toNanos();
        withdraw(attempt.id(), keys, over);
        // Again when the attempt can no longer be on its way: the first withdrawal may have overtaken it.
        runtime.later(runtime.answerNanos(), () -> withdraw(attempt.id(), keys, over));
    }

    /** Withdraws the places that an attempt may still have, except one that another request has taken over. */
    void withdraw(OwnerId id, List<Claim> claims) {
        List<LockKey> keys = claims.stream()
                .map(Claim::key)
                .filter(key -> !isWaitedFor(id, key))
                .toList();
        if (!keys.isEmpty()) {
            withdraw(id, keys, runtime.now() + 2 * Protocol.HEARTBEAT_WITHIN.toNanos());
        }
    }

    private void withdraw(OwnerId id, List<LockKey> keys, long overNanos) {
        releases.withdraw(id, keys, overNanos, this::giveBackOrphans);
    }

    /**
     * Returns orphaned grants to the store. A grant is no orphan if a place waits for it or a gate holds it. Checked
     * in this order, since a grant enters its gate before its place is removed.
     */
    void giveBackOrphans(List<Granted> granted) {
        List<Grant> orphans = granted.stream()
                .map(Granted::grant)
                .filter(grant -> !isWaitedFor(grant.owner(), grant.key()) && !gates.holds(grant))
                .toList();
        if (!orphans.isEmpty()) {
            releases.giveBack(orphans);
        }
    }

    // ---- pushes -------------------------------------------------------------------------------------------------

    /** Delivers a push that arrived before its place was added. */
    void deliverEarlyPush(QueuePlace place) {
        Granted early = earlyPushes.remove(place.id);
        if (early != null) {
            deliverPush(place, early);
        }
    }

    @Override
    public void granted(Granted granted) {
        OwnerId id = granted.grant().owner();
        QueuePlace place = places.get(id);
        if (place == null) {
            if (earlyPushes.size() >= MAX_EARLY_PUSHES) {
                earlyPushes.clear();
            }
            earlyPushes.put(id, granted);
            place = places.get(id);
            if (place == null || earlyPushes.remove(id) == null) {
                return;
            }
        }
        deliverPush(place, granted);
    }

    /** One attempt can wait for one key after another, so a duplicate or late push may be for an earlier key. */
    private static void deliverPush(QueuePlace place, Granted granted) {
        if (place.claim.key().equals(granted.grant().key())) {
            place.won(granted);
        }
    }

    @Override
    public void maybeFree(LockKey key) {
        places.values().stream()
                .filter(place -> !place.queued && place.claim.key().equals(key))
                .findFirst()
                .ifPresent(place -> runtime.lane().execute(place::askAgain));
    }

    @Override
    public void reconnected() {
        places.values().forEach(place -> place.recheckIn(0));
    }

    @Override
    public void sessionLost(LossReason reason) {
        runtime.lane().execute(() -> {
            gates.holds().forEach(hold -> hold.lose(reason));
            List.copyOf(places.values()).forEach(QueuePlace::askAgain);
        });
    }
}
