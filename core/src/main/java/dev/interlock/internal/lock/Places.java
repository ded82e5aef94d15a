package dev.interlock.internal.lock;

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
 * The places that this process has at the store, what the store says about them without being asked, and what is done about
 * attempts whose outcome nobody waits for any more.
 *
 * <p>Invariant: a grant that somebody waits for or holds is never given back as a ghost. Thread-safe.
 */
final class Places implements StoreListener {
    /** Pushes that overtake the answer they belong to are kept for it; more than this many are ghosts. */
    private static final int MOST_EARLY_PUSHES = 1024;

    private final Engine engine;
    private final ConcurrentHashMap<OwnerId, Ask> asks = new ConcurrentHashMap<>();
    private final ConcurrentHashMap<OwnerId, Granted> earlyPushes = new ConcurrentHashMap<>();

    Places(Engine engine) {
        this.engine = engine;
    }

    /** A place is there; to be said before it is visible in its gate, since a push may come at once. */
    void remember(Ask ask) {
        asks.put(ask.id, ask);
    }

    /** A place is over. */
    void forget(Ask ask) {
        asks.remove(ask.id, ask);
        ask.served();
    }

    /** Nobody wants the place any more. */
    void abandon(Ask ask) {
        forget(ask);
        if (ask.queued) {
            engine.releases()
                    .withdraw(
                            ask.id, List.of(ask.claim.key()), engine.now() + 2 * EngineSettings.HEARD_WITHIN.toNanos());
        }
    }

    /** An attempt whose answer was lost and that nobody repeats: finds out what it was granted, and gives that back. */
    void resolve(Attempt attempt) {
        List<LockKey> keys = attempt.claims().stream().map(Claim::key).toList();
        long over = engine.now() + attempt.claims().get(0).lease().toNanos();
        engine.releases().withdraw(attempt.id(), keys, over);
        // Once more when nothing of it can be on its way any longer: the first one may have overtaken it.
        engine.later(engine.answerNanos(), () -> engine.releases().withdraw(attempt.id(), keys, over));
    }

    /**
     * Gives back what was granted to nobody. What a place is still waiting for, or what is held here, is no ghost; asked in this
     * order, since a grant enters its gate before its place is forgotten.
     */
    void giveBackGhosts(List<Granted> granted) {
        List<Grant> ghosts = granted.stream()
                .map(Granted::grant)
                .filter(grant -> !isWaitedFor(grant.owner(), grant.key())
                        && !engine.gates().holds(grant))
                .toList();
        if (!ghosts.isEmpty()) {
            engine.releases().giveBack(ghosts);
        }
    }

    private boolean isWaitedFor(OwnerId id, LockKey key) {
        Ask ask = asks.get(id);
        return ask != null && ask.claim.key().equals(key);
    }

    /** Withdraws whatever place an attempt may still have, but for one that somebody else has inherited. */
    void withdraw(OwnerId id, List<Claim> claims) {
        List<LockKey> keys = claims.stream()
                .map(Claim::key)
                .filter(key -> !isWaitedFor(id, key))
                .toList();
        if (!keys.isEmpty()) {
            engine.releases().withdraw(id, keys, engine.now() + 2 * EngineSettings.HEARD_WITHIN.toNanos());
        }
    }

    /** A push may have come before its place was known. */
    void deliverEarlyPush(Ask ask) {
        Granted early = earlyPushes.remove(ask.id);
        if (early != null) {
            deliverPush(ask, early);
        }
    }

    @Override
    public void granted(Granted granted) {
        OwnerId id = granted.grant().owner();
        Ask ask = asks.get(id);
        if (ask == null) {
            if (earlyPushes.size() >= MOST_EARLY_PUSHES) {
                earlyPushes.clear();
            }
            earlyPushes.put(id, granted);
            ask = asks.get(id);
            if (ask == null || earlyPushes.remove(id) == null) {
                return;
            }
        }
        deliverPush(ask, granted);
    }

    /** One attempt may wait at one key after the other: a push that was doubled or late may be about an earlier one. */
    private static void deliverPush(Ask ask, Granted granted) {
        if (ask.claim.key().equals(granted.grant().key())) {
            ask.won(granted);
        }
    }

    @Override
    public void maybeFree(LockKey key) {
        asks.values().stream()
                .filter(ask -> !ask.queued && ask.claim.key().equals(key))
                .findFirst()
                .ifPresent(ask -> engine.lane().execute(ask::askAgain));
    }

    @Override
    public void reconnected() {
        asks.values().forEach(ask -> ask.recheckIn(0));
    }

    @Override
    public void sessionLost(LossReason reason) {
        engine.lane().execute(() -> {
            engine.gates().holds().forEach(hold -> hold.lose(reason));
            List.copyOf(asks.values()).forEach(Ask::askAgain);
        });
    }
}
